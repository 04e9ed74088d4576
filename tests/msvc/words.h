/* Words that windows.h and what it includes define as macros, without WIN32_LEAN_AND_MEAN, and that a program may want
   as names. */
#pragma once
#define far
#define near
#define FAR
#define NEAR
#define IN
#define OUT
#define OPTIONAL
#define UNALIGNED
#define pascal __stdcall
#define cdecl __cdecl
#define small char
#define hyper __int64
#define interface struct
#define INTERFACE IUnknown
#define CALLBACK __stdcall
#define WINAPI __stdcall
#define APIENTRY __stdcall
#define PASCAL __stdcall
#define CDECL __cdecl
#define CONST const
#define VOID void
#define STRICT 1
#define TRUE 1
#define FALSE 0
#define THIS void
#define PURE = 0
#define ABSOLUTE 1
#define RELATIVE 2
#define ALTERNATE 1
#define WINDING 2
#define TRANSPARENT 1
#define OPAQUE 2
#define ERROR 0
#define NOERROR 0
#define NO_ERROR 0L
#define DIFFERENCE 11
#define DELETE 0x00010000L
#define SYNCHRONIZE 0x00100000L
#define IGNORE 0
#define DUPLICATE 6
#define PASSTHROUGH 19
#define PLANES 14
#define NEXTBAND 3
#define REGISTERED 4
#define TECHNOLOGY 2
#define HALFTONE 4
#define CopyFile CopyFileA
#define CopyMemory RtlCopyMemory
#define CreateEvent CreateEventA
#define CreateFile CreateFileA
#define CreateMutex CreateMutexA
#define CreateWindow CreateWindowA
#define DeleteFile DeleteFileA
#define DrawText DrawTextA
#define FindText FindTextA
#define GetJob GetJobA
#define GetMessage GetMessageA
#define GetObject GetObjectA
#define GetProp GetPropA
#define LoadImage LoadImageA
#define LoadLibrary LoadLibraryA
#define MoveFile MoveFileA
#define ReplaceText ReplaceTextA
#define SendMessage SendMessageA
#define SetPort SetPortA
#define StartDoc StartDocA
#define TextOut TextOutA
#define rad1 0x0420
#define rad2 0x0421
#define rad3 0x0422
#define chx1 0x0410
#define chx2 0x0411
#define chx3 0x0412
#define cmb1 0x0470
#define cmb2 0x0471
#define cmb3 0x0472
#define ctl1 0x00a0
#define edt1 0x0480
#define edt2 0x0481
#define edt3 0x0482
#define frm1 0x0434
#define frm2 0x0435
#define grp1 0x0430
#define grp2 0x0431
#define ico1 0x043c
#define ico2 0x043d
#define lst1 0x0460
#define lst2 0x0461
#define lst3 0x0462
#define psh1 0x0400
#define psh2 0x0401
#define psh3 0x0402
#define rct1 0x0438
#define rct2 0x0439
#define scr1 0x0490
#define scr2 0x0491
#define stc1 0x0440
#define stc2 0x0441
#define stc3 0x0442
#ifndef NOMINMAX
#define max(a, b) (((a) > (b)) ? (a) : (b))
#define min(a, b) (((a) < (b)) ? (a) : (b))
#endif
