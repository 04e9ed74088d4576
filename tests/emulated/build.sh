#!/bin/sh
# Compiles gputrain_cuda.cu for a GPU in software. usage: build.sh object compute [flags...], compute 90a, 90, 86 ...;
# or build.sh includes, which prints what programs that use CUDA's headers are compiled with. CC: compiles translate.c and split.c.
# The object is made of units, compiled CORES at a time (all cores), and kept beside it in units/: an edit compiles those again that see it.
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
# g++: device.h uses its optimize and target attributes. -w: it warns of what is usual in kernels.
define() { g++ -E -x c++ $flags -DEMU_FOLDER="\"$folder\"" -DEMU_FLAGS="\"${given#* }\"" "$@"; }
compile="g++ -O1 -mfma -mf16c -w -Wno-psabi -ffp-contract=off -fno-strict-aliasing $flags $* $unneeded"
if [ -n "$EMU_TEXT" ]; then
    folder=$(dirname "$folder")
    define -DGTR__ONE "$@" "$EMU_TEXT" | "$folder"/translate ./gputrain_cuda.cu >"$object".cpp &&
        $compile -fPIC -shared -x c++-cpp-output "$object".cpp -o "$object"
    exit
fi
mkdir -p "$folder" && exec 9>"$folder"/lock && flock 9 # who builds it at the same time waits, and finds it made
rm -rf "$folder"/texts && mkdir -p "$folder"/texts "$folder"/units || exit 1
for tool in translate split; do ${CC:-cc} -O1 -o "$folder"/$tool tests/emulated/$tool.c || exit 1; done
# Where a unit begins (split.c): of 2 to 20 s each. A line has its place in its section, so that it is the same when those in front grow.
begin="transpose products-own products-whole conv-gather conv-im2col conv-lines conv-hopper-choice conv-depthwise conv-direct op:log_softmax
    op:attention op:max_pool op:batch_norm op:rms_norm op:sort resident-update thin-rows tall-middle chain-compile"
awk 'NR == 1 { print "#line 1 \"gputrain_cuda.cu\"" } { print } /^\/\/ >>/ { print "#line 2 \"gputrain_cuda.cu" $2 "\"" }' gputrain_cuda.cu |
    define "$@" - | "$folder"/translate gputrain_cuda.cu >"$object".cpp &&
    "$folder"/split "$folder"/units/ $begin <"$object".cpp >"$object".units || exit 1
while read -r k sum; do
    [ "$(cat "$folder"/units/$k.sum 2>/dev/null)" = "$sum $compile" ] || echo "$folder/units/$k $sum"
done <"$object".units >"$object".stale
[ ! -s "$object".stale ] || xargs -P "${CORES:-$(getconf _NPROCESSORS_ONLN)}" -n 2 sh -c "
    rm -f \$0.sum
    $compile -c -x c++-cpp-output \$0.cpp -o \$0.o && echo \"\$1 $compile\" >\$0.sum" <"$object".stale || exit 1
# Names of the CUDA file are hidden (split.c), and stay within the object, as its static ones did.
ld -r -o "$object" $(awk -v at="$folder/units/" '{ print at $1 ".o" }' "$object".units) && objcopy --localize-hidden "$object"
