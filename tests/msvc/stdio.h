#pragma once
#include <stdarg.h>
#include <stdlib.h>
#define EOF      (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#define stdin  (__acrt_iob_func(0))
#define stdout (__acrt_iob_func(1))
#define stderr (__acrt_iob_func(2))
#ifdef __cplusplus
extern "C" {
#endif
typedef struct _iobuf { void *_Placeholder; } FILE;
FILE *__acrt_iob_func(unsigned);
CRT_UNSAFE FILE *fopen(const char *path, const char *mode);
int fclose(FILE *f), fflush(FILE *f), fputs(const char *text, FILE *f), fputc(int c, FILE *f), ferror(FILE *f);
size_t fread(void *to, size_t size, size_t n, FILE *f), fwrite(const void *from, size_t size, size_t n, FILE *f);
char *fgets(char *to, int room, FILE *f);
int remove(const char *path), rename(const char *from, const char *to);
int printf(const char *text, ...), fprintf(FILE *f, const char *text, ...);
CRT_UNSAFE int sprintf(char *to, const char *text, ...);
CRT_UNSAFE int sscanf(const char *from, const char *text, ...);
int snprintf(char *to, size_t room, const char *text, ...);
int vsnprintf(char *to, size_t room, const char *text, va_list args);
#ifdef __cplusplus
}
#endif
