#!/bin/sh
# A program with a sealed list of kernels. usage: sealed.sh list folder: writes the list for sm_87 and sm_90a by a run on
# the CPU, and builds the sealed program; sealed.sh run folder, on a GPU of one of these: it does what a program does whose
# kernels are compiled in place, from an empty cache and from a full one, with the same bits.
cd "$(dirname "$0")/.." || exit 1
to=$2 include=${CUDA_PATH:-/usr/local/cuda}/include
cuda() { g++ -std=c++17 -O1 -x c++ -fno-exceptions -fno-rtti -isystem "$include" -DGPUTRAIN_CUDA "$@" -c gputrain_cuda.cu; }
program() { ${CC:-cc} -O2 -DGPUTRAIN_CUDA tests/programs/sealed.c "$to/$1.o" -o "$to/$1" -lm -ldl -lpthread; }
case $1 in
list)
    mkdir -p "$to" && cuda -DGPUTRAIN_NO_CUBLASLT -o "$to/inplace.o" && program inplace &&
    GPUTRAIN_KERNEL_CACHE=$to/cache GPUTRAIN_KERNEL_LIST=$to/kernels.inc GPUTRAIN_KERNEL_ARCHS=87,90a CUDA_VISIBLE_DEVICES= \
        "$to/inplace" 0 128 >/dev/null &&
    cuda -DGPUTRAIN_KERNELS="\"$(cd "$to" && pwd)/kernels.inc\"" -o "$to/sealed.o" && program sealed ;;
run)
    for sms in 0 8; do
        rm -rf "$to/cold"
        for how in cold warm; do
            GPUTRAIN_KERNEL_CACHE=$to/cold "$to/inplace" $sms -128 96 1 >"$to/$how$sms" 2>/dev/null || exit 1
        done
        "$to/sealed" $sms -128 96 1 >"$to/sealed$sms" 2>"$to/opened" || { cat "$to/sealed$sms"; exit 1; }
        cat "$to/opened"
        for how in cold warm; do
            cmp "$to/$how$sms" "$to/sealed$sms" || { cat "$to/$how$sms" "$to/sealed$sms"; exit 1; }
        done
        grep -q 'not opened' "$to/opened" && grep -q 'not finite: step' "$to/sealed$sms" || exit 1
    done
    cat "$to/sealed0" ;;
esac
