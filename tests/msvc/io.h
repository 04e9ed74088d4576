#pragma once
#include <stdlib.h>
#ifdef __cplusplus
extern "C" {
#endif
CRT_UNSAFE int _open(const char *path, int flags, ...);
int _close(int fd), _commit(int fd), _isatty(int fd), _read(int fd, void *to, unsigned bytes);
int _write(int fd, const void *from, unsigned bytes), _unlink(const char *path);
long _lseek(int fd, long at, int from);
__int64 _lseeki64(int fd, __int64 at, int from);
intptr_t _get_osfhandle(int fd);
#ifdef __cplusplus
}
#endif
