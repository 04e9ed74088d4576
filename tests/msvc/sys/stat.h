#pragma once
#include <time.h>
#define _S_IFMT  0xF000
#define _S_IFDIR 0x4000
#define _S_IFREG 0x8000
#define S_IFMT   _S_IFMT
#define S_IFDIR  _S_IFDIR
#define S_IFREG  _S_IFREG
struct _stat64 {
    unsigned st_dev;
    unsigned short st_ino, st_mode;
    short st_nlink, st_uid, st_gid;
    unsigned st_rdev;
    __int64 st_size, st_atime, st_mtime, st_ctime;
};
struct stat { unsigned st_dev; unsigned short st_ino, st_mode; long st_size; time_t st_mtime; };
#ifdef __cplusplus
extern "C" {
#endif
int _stat64(const char *path, struct _stat64 *to), _fstat64(int fd, struct _stat64 *to);
int stat(const char *path, struct stat *to);
#ifdef __cplusplus
}
#endif
