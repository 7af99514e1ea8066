/* Leaving a function of libjpeg-turbo after an error: WebAssembly has no jumps out of functions, so JavaScript throws an
 * exception, which `attempt.c` catches around each call. */
#ifndef ISCCD_SETJMP_H
#define ISCCD_SETJMP_H

typedef int jmp_buf[1];

__attribute__((import_module("isccd"), import_name("leave"))) _Noreturn void isccd_leave(void);

#define setjmp(place) ((void)(place), 0)
#define longjmp(place, value) isccd_leave()

#endif
