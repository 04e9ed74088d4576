#pragma once
#ifdef __cplusplus
extern "C"
#endif
int _getpid(void);
