/* Declarations of windows.h. */
#pragma once
#include <stdlib.h>
#include "words.h"
#define INFINITE 0xFFFFFFFF
#define ERROR_NO_MORE_FILES 18L
#define INVALID_HANDLE_VALUE ((HANDLE)(LONG_PTR)-1)
#define MOVEFILE_REPLACE_EXISTING 1
#define MOVEFILE_WRITE_THROUGH    8
#define PAGE_READONLY 2
#define FILE_MAP_READ 4
#define SRWLOCK_INIT { 0 }
#define YieldProcessor() _mm_pause()
#define MemoryBarrier()  __faststorefence()
#ifdef __cplusplus
extern "C" {
#endif
typedef int BOOL;
typedef char CHAR;
typedef long LONG;
typedef unsigned char BYTE;
typedef unsigned long DWORD;
typedef long long LONGLONG, LONG_PTR;
typedef size_t SIZE_T;
typedef void *HANDLE, *LPVOID, *HLOCAL;
typedef struct HINSTANCE__ *HMODULE;
typedef long long (WINAPI *FARPROC)(void);
typedef union { struct { DWORD LowPart; LONG HighPart; } u; LONGLONG QuadPart; } LARGE_INTEGER;
typedef struct { void *DebugInfo; LONG LockCount; HANDLE LockSemaphore; } CRITICAL_SECTION;
typedef struct { void *Ptr; } CONDITION_VARIABLE, SRWLOCK;
typedef struct { DWORD dwPageSize, dwNumberOfProcessors; } SYSTEM_INFO;
typedef struct { DWORD dwFileAttributes; CHAR cFileName[260], cAlternateFileName[14]; } WIN32_FIND_DATAA;
typedef DWORD (WINAPI *LPTHREAD_START_ROUTINE)(LPVOID);
BOOL WINAPI CloseHandle(HANDLE), WINAPI FindClose(HANDLE), WINAPI UnmapViewOfFile(const void *);
BOOL WINAPI QueryPerformanceCounter(LARGE_INTEGER *), WINAPI QueryPerformanceFrequency(LARGE_INTEGER *);
BOOL WINAPI MoveFileExA(const char *from, const char *to, DWORD how), WINAPI FindNextFileA(HANDLE, WIN32_FIND_DATAA *);
BOOL WINAPI CreateHardLinkA(const char *to, const char *from, void *security);
BOOL WINAPI SleepConditionVariableCS(CONDITION_VARIABLE *, CRITICAL_SECTION *, DWORD ms);
DWORD WINAPI GetCurrentThreadId(void), WINAPI GetLastError(void), WINAPI WaitForSingleObject(HANDLE, DWORD ms);
HANDLE WINAPI CreateFileMappingA(HANDLE, void *security, DWORD protect, DWORD high, DWORD low, const char *name);
HANDLE WINAPI CreateThread(void *security, SIZE_T stack, LPTHREAD_START_ROUTINE, LPVOID arg, DWORD flags, DWORD *id);
HANDLE WINAPI FindFirstFileA(const char *path, WIN32_FIND_DATAA *);
HMODULE WINAPI LoadLibraryA(const char *path);
FARPROC WINAPI GetProcAddress(HMODULE, const char *name);
LPVOID WINAPI MapViewOfFile(HANDLE, DWORD access, DWORD high, DWORD low, SIZE_T bytes);
void WINAPI InitializeCriticalSection(CRITICAL_SECTION *), WINAPI DeleteCriticalSection(CRITICAL_SECTION *);
void WINAPI EnterCriticalSection(CRITICAL_SECTION *), WINAPI LeaveCriticalSection(CRITICAL_SECTION *);
void WINAPI InitializeConditionVariable(CONDITION_VARIABLE *), WINAPI WakeAllConditionVariable(CONDITION_VARIABLE *);
void WINAPI AcquireSRWLockExclusive(SRWLOCK *), WINAPI ReleaseSRWLockExclusive(SRWLOCK *);
void WINAPI GetSystemInfo(SYSTEM_INFO *);
LONGLONG InterlockedCompareExchange64(LONGLONG volatile *p, LONGLONG v, LONGLONG was);
LONGLONG InterlockedExchange64(LONGLONG volatile *p, LONGLONG v);
LONGLONG InterlockedExchangeAdd64(LONGLONG volatile *p, LONGLONG v);
void _mm_pause(void), __faststorefence(void);
#ifdef __cplusplus
}
#endif
