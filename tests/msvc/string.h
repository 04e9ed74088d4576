#pragma once
#include <stdlib.h>
#ifdef __cplusplus
extern "C" {
#endif
void *memcpy(void *to, const void *from, size_t n), *memmove(void *to, const void *from, size_t n);
void *memset(void *p, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n), strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
size_t strlen(const char *s), strspn(const char *s, const char *of), strcspn(const char *s, const char *of);
CRT_UNSAFE char *strcpy(char *to, const char *from);
CRT_UNSAFE char *strncpy(char *to, const char *from, size_t n);
CRT_UNSAFE char *strcat(char *to, const char *from);
CRT_UNSAFE char *strerror(int e);
#ifdef __cplusplus
}
const char *strchr(const char *s, int c), *strrchr(const char *s, int c), *strstr(const char *s, const char *what);
char *strchr(char *s, int c), *strrchr(char *s, int c), *strstr(char *s, const char *what);
const void *memchr(const void *p, int c, size_t n);
void *memchr(void *p, int c, size_t n);
#else
char *strchr(const char *s, int c), *strrchr(const char *s, int c), *strstr(const char *s, const char *what);
void *memchr(const void *p, int c, size_t n);
#endif
