#pragma once
#ifdef __cplusplus
extern "C"
#endif
int *_errno(void);
#define errno  (*_errno())
#define ENOENT 2
#define EINTR  4
#define EIO    5
#define EAGAIN 11
#define ENOMEM 12
#define EACCES 13
#define EEXIST 17
#define EINVAL 22
#define ERANGE 34
#define ENAMETOOLONG 38
#define EWOULDBLOCK  140
