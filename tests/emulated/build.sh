#!/bin/sh
# Compiles gputrain_cuda.cu for a GPU in software. usage: build.sh object compute [flags...], compute 90a, 90, 86 ...;
# or build.sh includes, which prints what programs that use CUDA's headers are compiled with. CC: compiles translate.c.
# EMU_TEXT: a file that includes gputrain_cuda.cu and names one kernel, of which `object`, a library, is made.
cd "$(dirname "$0")/../.." || exit 1
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")
cuda=$(dirname "$(dirname "$nvcc")")/include
[ -f "$cuda/cuda.h" ] || { echo "no CUDA headers in $cuda"; exit 1; }
[ "$(uname -m)" = x86_64 ] || { echo "threads of kernels are switched on x86-64 alone"; exit 1; }
[ "$1" != includes ] || { echo "-isystem $cuda"; exit 0; }
object=$1 compute=${2%a} given="$*" folder=$(dirname "$1")
flags="-std=c++17 -DEMU_COMPUTE=$compute -DGTR__AHEAD -DGPUTRAIN_NO_CUBLASLT -Itests/emulated -I. -isystem $cuda"
[ "$2" = "$compute" ] || flags="$flags -DEMU_HOPPER"
shift 2
# of UBSan, what the address sanitizer sees too, or kernels rely on; it would double the time
unneeded="-fno-sanitize=null,alignment,object-size,vptr,pointer-overflow -fno-sanitize-recover=undefined"
if [ -n "$EMU_TEXT" ]; then
    source=$EMU_TEXT named=./gputrain_cuda.cu made="-fPIC -shared" folder=$(dirname "$folder")
    flags="$flags -DGTR__ONE"
else
    source=gputrain_cuda.cu named=$source made=-c
    rm -rf "$folder"/texts && mkdir "$folder"/texts
    ${CC:-cc} -O1 -o "$folder"/translate tests/emulated/translate.c || exit 1
fi
# g++: device.h uses its optimize and target attributes. -w: it warns of what is usual in kernels.
define() { g++ -E -x c++ $flags -DEMU_FOLDER="\"$folder\"" -DEMU_FLAGS="\"${given#* }\"" "$@"; }
define "$@" "$source" | "$folder"/translate "$named" >"$object".cpp &&
    g++ -O1 -mfma -mf16c -w -Wno-psabi -ffp-contract=off -fno-strict-aliasing $flags "$@" $unneeded $made \
        -x c++-cpp-output "$object".cpp -o "$object"
