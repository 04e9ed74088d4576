/* Declarations as Microsoft's C library has them, of what the two files use: no more, so that a function which is not
   there is found. It warns of what it finds unsafe, and a project of Visual Studio's takes that for an error. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#ifdef _CRT_SECURE_NO_WARNINGS
#define CRT_UNSAFE
#else
#define CRT_UNSAFE __declspec(deprecated("unsafe: see _CRT_SECURE_NO_WARNINGS"))
#endif
#define environ _environ
#ifndef __cplusplus
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define min(a, b) (((a) < (b)) ? (a) : (b))
#endif
#ifdef __cplusplus
extern "C" {
#endif
void *malloc(size_t n), *calloc(size_t n, size_t size), *realloc(void *p, size_t n);
void free(void *p), *_aligned_malloc(size_t n, size_t to), _aligned_free(void *p);
void qsort(void *p, size_t n, size_t size, int (*order)(const void *, const void *));
double strtod(const char *text, char **end);
float strtof(const char *text, char **end);
long strtol(const char *text, char **end, int base);
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
int atoi(const char *text), abs(int);
CRT_UNSAFE char *getenv(const char *name);
#ifdef __cplusplus
}
#endif
