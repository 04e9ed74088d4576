# The library needs no build: copy gputrain.h (and gputrain_cuda.cu). This runs its examples, tests and benchmarks; see `make help`.
CFLAGS ?= -O3 -march=native
LIBS    = -lm -pthread
NVCC   ?= $(shell command -v nvcc 2>/dev/null || ls /usr/local/cuda/bin/nvcc 2>/dev/null)
HEADER  = gputrain.h
CUDA    = gputrain_cuda.cu
LONG    = test_ops test_images # which begin first
TESTS   = $(LONG) $(filter-out $(LONG),$(patsubst tests/programs/%.c,%,$(wildcard tests/programs/test_*.c)))
SHARED  = $(wildcard tests/*.h tests/programs/*.h tests/tables/*.h) # what they include
FASHION = $(if $(FASHION_MNIST),$(FASHION_MNIST),build/fashion)
CORES  ?= $(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
# Builds programs on as many cores, where make was not told how many jobs.
BUILD   = $(MAKE) --no-print-directory $(if $(filter -j% --jobs% --jobserver%,$(MAKEFLAGS)),,-j$(CORES))

# A GPU is used where nvcc and a working GPU are.
GPU    := $(if $(NVCC),$(shell nvidia-smi -L >/dev/null 2>&1 && echo yes))
ifeq ($(GPU),yes)
CC_GPU := $(firstword $(shell nvidia-smi --query-gpu=compute_cap --format=csv,noheader))
endif
NATIVE  = $(if $(GPU),cuda,cpu)

space := $(subst ,, )
comma := ,
HOST   = -Xcompiler $(subst $(space),$(comma),$(strip $(CFLAGS)))

# A build is a folder under build/: cpu, cuda, ptx75 and ptx80 (own products; run with kernels as PTX for that architecture).
NV_ptx75 = -DGPUTRAIN_NO_CUBLASLT
NV_ptx80 = -DGPUTRAIN_NO_CUBLASLT

help:
	@echo 'make run          train on handwritten digits and show what came of it (GPU if there is one, else CPU)'
	@echo 'make fashion      train on Fashion-MNIST; FASHION_MNIST=folder, else make data gets it'
	@echo 'make cnn          the same by a convolutional network'
	@echo 'make resnet       the same by a residual network, with augmentation (on a GPU; the CPU trains a narrow one)'
	@echo 'make segment      which pixels are of which shape: a U-Net, and build/segment.ppm to look at'
	@echo 'make autoencoder  images through a code of 16 numbers and back: build/autoencoder.pgm'
	@echo 'make tabular      a table with strings and holes: penguins by species, and what they weigh'
	@echo 'make online       a stream that is learned as it comes, predicted by another thread, killed and gone on with'
	@echo 'make forecast     the next hours of a load and how sure that is: a recurrent network over a series'
	@echo 'make keywords     words that are heard, and a new one from a few recordings'
	@echo 'make chars        a transformer learns a text by the byte and writes on; TEXT=file, MODEL=lstm'
	@echo 'make data         Fashion-MNIST into build/fashion, from the Debian package dataset-fashion-mnist, or from FASHION_MNIST=folder'
	@echo 'make test         all tests on the CPU, and on the GPU if there is one'
	@echo 'make try          ROW=softmax: what tests there are of one op, loss or layer, on the CPU'
	@echo 'make test-cuda    SHARD=native|ptx75|ptx80|sm8|sanitize[-all]|all RECORD=file: tests on the GPU, a line a shard added to the record'
	@echo 'make test-emulated COMPUTE=90a|90|89|87|86|80|75: what tests the GPU, on one in software; NAMES="test ..." for some of it; SANITIZE=address,undefined; TEXTS=3 variants of a kernel compiled for their networks'
	@echo 'make check        compilers, standards, symbols, sanitizers, examples; CHECKS="compilers symbols ..." for some of them'
	@echo 'make campaign     longer than tests: what make check fuzzes for 12 s each, unoptimised, for FUZZ_SECONDS=600 each; COUNT=2000 graphs drawn from SEED on, IMAGES=500 networks of images,'
	@echo '                  by PYTHON=one that has PyTorch; faults planted, which tests must find; exp and the like at every float; saving processes killed KILLS=1000 times (campaign-fuzz, -compose, -graphs, -faults, -floats, -kills: one of these)'
	@echo 'make oracle       OLD=revision: whether the working tree plans and computes, to the bit, what that revision does; ON=emulated|cuda: on a GPU in software, on the GPU;'
	@echo '                  CASES="networks:unet plans graphs ..." for some of it'
	@echo 'make bench        timings beside PyTorch and JAX where installed; ROWS="row, or how rows begin, ..." (ROWS=list names them), SHARD=1/3 for some of them, ROWS=report for what was'
	@echo '                  measured so far; ARCH=ptx80|ptx75: built for older chips'
	@echo 'make bench-stream a step where data are streamed, from memory, files and a callback, against data on the device'
	@echo 'make bench-plan   how long plans take to be made, pass by pass'
	@echo 'make bench-next   a step of a predictor of .steps: recurrences, and characters that a transformer says'
	@echo 'make bench-online how far gtr_train_for runs over its time, alone and beside a renderer'
	@echo 'make rooms        both files as rooms: build/rooms has a folder a group and a file a section; make join says what was edited there, WRITE=1 puts it into the files'
	@echo 'make hash         what tests/cuda-verified knows the sources by'
	@echo 'make clean        removes build/'
	@echo
	@echo 'here: $(if $(GPU),nvcc for a GPU of compute capability $(CC_GPU),$(CC) $(CFLAGS) and no GPU)'

# Without a GPU compiled at -O0: it compiles three times as fast as at -O3 and then trains for a few seconds.
run: build/$(if $(GPU),cuda,quick)/02_digits
	$<

fashion: build/$(NATIVE)/03_fashion
cnn: build/$(NATIVE)/06_cnn
resnet: build/$(NATIVE)/07_resnet
fashion cnn resnet:
	@test -f $(FASHION)/train-images-idx3-ubyte || $(MAKE) --no-print-directory data
	$< $$(test -f $(FASHION)/train-images-idx3-ubyte && echo $(FASHION) || echo build/fashion) $(or $(SEED),0) $(PRECISION)

segment: build/$(NATIVE)/08_segment
	$< build/segment.ppm $(or $(SEED),0) $(PRECISION)
autoencoder: build/$(NATIVE)/09_autoencoder
	$< build/autoencoder.pgm examples/digits.csv $(or $(SEED),0) $(PRECISION)
tabular: build/$(NATIVE)/10_tabular
	$< examples/penguins.csv build/penguins.safetensors $(or $(SEED),0)

online: build/$(NATIVE)/11_online
	$<
forecast: build/$(NATIVE)/13_forecast
	$<
keywords: build/$(NATIVE)/14_keywords
	$<
chars: build/$(NATIVE)/15_chars
	$< $(or $(TEXT),README.md) $(MODEL)

data:
	sh tests/generate/get_data.sh $(FASHION_MNIST)

# Side by side on the CPU; on a GPU one by one, for a test weighs its free memory.
test: $(if $(GPU),build/cuda/gputrain_cuda.o)
	@$(BUILD) $(TESTS:%=build/cpu/%) $(if $(GPU),$(TESTS:%=build/cuda/%))
	@JOBS=$(CORES) sh tests/run.sh $(TESTS:%=build/cpu/%) $(if $(GPU),-- $(TESTS:%=build/cuda/%))

# Of one op, loss or layer, by the name of its row or builder (tests/try.sh), what tests there are: kernels, gradients, PyTorch's results, defaults, first values,
# compositions.
TRIED = test_ops test_ops_double test_goldens
try:
	@test -n '$(ROW)' || { echo "make try ROW=softmax: which row?"; exit 2; }
	@sh tests/try.sh names '$(ROW)'
	@$(BUILD) $(TRIED:%=build/cpu/%) build/cpu/test_losses build/cpu/compose
	@JOBS=$(CORES) sh tests/try.sh run '$(ROW)' $(TRIED:%=build/cpu/%)

# The CUDA file on a GPU in software (tests/emulated; needs the toolkit's headers alone): COMPUTE=90a, 90, 89, 87, 86, 80, 75, the GPU that it is.
# Networks at their usual sizes take long there: NAMES="test ..." are run alone.
# TEXTS=n: n variants of each kernel that is compiled for its network are compiled so.
# SANITIZE=address: what memcheck would find; SANITIZE=undefined, or both: shifts, indices and conversions that C++ does not define.
COMPUTE ?= 90a
TEXTS ?= 3
EMULATED = build/emulated-$(COMPUTE)$(SANITIZE:%=-%)
EMULATED_TESTS = $(filter-out test_files test_vmath test_readers %_double,$(TESTS))
test-emulated: $(EMULATED_TESTS:%=$(EMULATED)/%)
	@NAMES='$(NAMES)' EMU_TEXTS=$(TEXTS) GTR_TEST_SMALL=1 sh tests/run.sh $^

# The tests of a shard are built from the same files; sm8 and sanitize run the native build.
SHARD  ?= native
SHARD_BUILD = $(if $(filter ptx%,$(SHARD)),$(SHARD),cuda)
test-cuda: need-gpu $(foreach b,$(if $(filter all,$(SHARD)),cuda ptx75 ptx80,$(SHARD_BUILD)),$(TESTS:%=build/$(b)/%)) $(if $(filter native all,$(SHARD)),build/cuda/compose)
	@sh tests/run_cuda.sh $(SHARD) '$(RECORD)' $(TESTS:%=build/$(SHARD_BUILD)/%)

need-gpu:
	@test -n '$(GPU)' || { echo 'test-cuda needs nvcc and a GPU: nvcc is "$(NVCC)", nvidia-smi -L finds none'; exit 1; }

check:
	@CC='$(CC)' CFLAGS='$(CFLAGS)' sh tests/check.sh $(CHECKS)

campaign: campaign-fuzz campaign-compose campaign-graphs campaign-faults campaign-floats campaign-kills campaign-cache campaign-networks campaign-sealed
campaign-fuzz:
	@CC='$(CC)' CFLAGS='$(CFLAGS)' FUZZ_SECONDS='$(or $(FUZZ_SECONDS),600)' sh tests/check.sh fuzz
# Graphs of every builder in ways that must not matter, for half an hour; and mistakes planted in passes, which it must find.
campaign-compose: build/$(NATIVE)/compose
	$< seconds=$(or $(SECONDS),1800) seed=$(or $(SEED),$(shell date +%s))
	$(CC) -O1 -march=native -w -DGPUTRAIN_DOUBLE tests/programs/compose.c -o build/compose_double $(LIBS)
	build/compose_double seconds=$(or $(SECONDS),600) seed=$(or $(SEED),$(shell date +%s))
	@CC='$(CC)' sh tests/plant.sh --compose
# Random graphs beyond those of tests/fixtures/graphs.bin.
PYTHON ?= python3
campaign-graphs: build/$(NATIVE)/test_torch
	@$(PYTHON) -c 'import torch' 2>/dev/null || { echo 'skipped: $(PYTHON) has no PyTorch; PYTHON=one that has'; exit 0; }; \
	$(PYTHON) tests/generate/gen_graphs.py --seed $(or $(SEED),$(shell date +%s)) --count $(or $(COUNT),2000) --images $(or $(IMAGES),500) --out build/graphs.bin && \
	GTR_GRAPHS=build/graphs.bin build/$(NATIVE)/test_torch
campaign-faults:
	@CC='$(CC)' sh tests/plant.sh
# The functions of section vmath at every float.
campaign-floats: build/cpu/test_vmath
	GTR_FLOATS=1 build/cpu/test_vmath
# Processes that save, and fits that write checkpoints, killed so often.
campaign-kills: build/cpu/test_files
	GTR_KILLS=$(or $(KILLS),1000) build/cpu/test_files killed

# The cache of compiled kernels, by many processes and threads at once, and by writers that are killed so often.
campaign-cache:
	@CC='$(CC)' KILLS='$(or $(KILLS),200)' sh tests/check.sh cache
# So many networks in one process: memory stays flat.
campaign-networks: build/$(NATIVE)/many
	$< $(or $(COUNT),10000)
# A sealed program: its list is written without a GPU, and on one it does what a program does that compiles.
campaign-sealed:
	sh tests/sealed.sh list build/sealed
	$(if $(GPU),sh tests/sealed.sh run build/sealed,@echo 'built, and not run: no GPU')

# Where a change is to change nothing. ON=objects: the program alone, to be linked elsewhere.
oracle:
	@CC='$(CC)' CXX='$(CXX)' COMPUTE='$(COMPUTE)' sh tests/oracle.sh '$(OLD)' $(ON:%=--%) $(CASES)

# ARCH=ptx75 or ptx80: a build from PTX alone, for what older chips would run; SHARD=2/3: the second third of the rows.
BENCH_ARCH  = $(if $(filter ptx%,$(ARCH)),$(ARCH),$(NATIVE))
BENCH_SHARD = $(if $(findstring /,$(SHARD)),$(SHARD))
bench: $(patsubst %,build/$(BENCH_ARCH)/%,bench 03_fashion 06_cnn)
	@BENCH_BUILD='$(if $(GPU),nvcc -O3 $(NV_$(BENCH_ARCH)) $(HOST) -DGPUTRAIN_CUDA,$(CC) $(CFLAGS))' BENCH_FASHION='$(FASHION)' \
	BENCH_WHO='gputrain$(patsubst %,-%,$(filter ptx%,$(BENCH_ARCH)))' BENCH_SHARD='$(BENCH_SHARD)' \
	$(patsubst ptx%,GPUTRAIN_KERNEL_ARCH=compute_%,$(filter ptx%,$(BENCH_ARCH))) build/$(BENCH_ARCH)/bench build/$(BENCH_ARCH)/03_fashion $(subst $(comma), ,$(ROWS))

bench-stream: build/$(NATIVE)/stream
	$< $(FASHION)

bench-online: build/$(NATIVE)/online
	$<

bench-next: build/$(NATIVE)/next
	$< $(ARGS)

bench-plan: build/cpu/plan
	$<

hash:
	@sh tests/hash.sh

# Both files cut into build/rooms, a folder a group, a file a section; and put together again, if WRITE=1, else compared.
rooms:
	@sh tests/rooms.sh cut
join:
	@sh tests/rooms.sh join $(WRITE:%=--write)

clean:
	rm -rf build

build/%/.made:
	@mkdir -p $(@D) && touch $@

# Tests, and compose, are linked with the library, compiled once in a build (tests/programs/private.h); but for those that define a macro of its own,
# as one with doubles and two with other calls for files and locks.
build/library.c: $(HEADER) tests/generate/private.awk
	@mkdir -p $(@D) && awk -v whole=1 -f tests/generate/private.awk $(HEADER) >$@.$$$$ && mv $@.$$$$ $@
build/private.h: $(HEADER) tests/generate/private.awk
	@mkdir -p $(@D) && awk -f tests/generate/private.awk $(HEADER) >$@.$$$$ && mv $@.$$$$ $@
LINKED = compose $(shell grep -L '^#define GPUTRAIN_' tests/programs/test_*.c | sed 's,tests/programs/\(.*\)\.c,\1,')
$(foreach b,cpu cuda ptx75 ptx80 $(notdir $(EMULATED)),$(eval $(LINKED:%=build/$(b)/%): build/$(b)/library.o build/private.h))
APART  = $(if $(filter %/library.o,$^),-DGTR_TEST_LINKED $(filter %/library.o,$^))
build/cpu/library.o: build/library.c tests/programs/counted.h build/cpu/.made
	$(CC) $(CFLAGS) -I. -c $< -o $@
build/quick/%: examples/%.c $(HEADER) build/quick/.made
	$(CC) -pipe $< -o $@ $(LIBS)
COMPILE_CPU  = $(CC) $(CFLAGS) $< $(APART) -o $@ $(LIBS)
build/cpu/%: examples/%.c $(HEADER) build/cpu/.made
	$(COMPILE_CPU)
build/cpu/%: tests/programs/%.c $(HEADER) $(SHARED) build/cpu/.made
	$(COMPILE_CPU)
build/cpu/bench build/cpu/stream build/cpu/online build/cpu/next build/cpu/plan: build/cpu/%: tests/bench/%.c $(HEADER) build/cpu/.made
	$(COMPILE_CPU)

# $(1): a build with CUDA.
define CUDA_BUILD
build/$(1)/gputrain_cuda.o: $(CUDA) $(HEADER) build/$(1)/.made
	$(NVCC) -O3 $$(NV_$(1)) -c $(CUDA) -o $$@
COMPILE_$(1) = $(NVCC) -O3 $$(NV_$(1)) $(HOST) -DGPUTRAIN_CUDA $$< $$(APART) build/$(1)/gputrain_cuda.o -o $$@ $(LIBS:-pthread=-lpthread)
build/$(1)/library.o: build/library.c tests/programs/counted.h build/$(1)/.made
	$(NVCC) -O3 $$(NV_$(1)) $(HOST) -I. -DGPUTRAIN_CUDA -c $$< -o $$@
build/$(1)/%: examples/%.c $(HEADER) build/$(1)/gputrain_cuda.o
	$$(COMPILE_$(1))
build/$(1)/%: tests/programs/%.c $(HEADER) $(SHARED) build/$(1)/gputrain_cuda.o
	$$(COMPILE_$(1))
build/$(1)/bench build/$(1)/stream build/$(1)/online build/$(1)/next: build/$(1)/%: tests/bench/%.c $(HEADER) build/$(1)/gputrain_cuda.o
	$$(COMPILE_$(1))
endef
$(foreach b,cuda ptx75 ptx80,$(eval $(call CUDA_BUILD,$(b))))
$(foreach b,cpu cuda ptx75 ptx80,build/$(b)/test_ops_double): tests/programs/test_ops.c
$(foreach b,cpu cuda ptx75 ptx80,build/$(b)/bench): tests/bench/network.h tests/programs/made.h
$(foreach b,cpu cuda ptx75 ptx80,build/$(b)/oracle): tests/bench/network.h tests/programs/test_torch.c
$(foreach b,cpu cuda ptx75 ptx80 emulated-$(COMPUTE),build/$(b)/test_presets): tests/bench/network.h

# A program's own half takes three times as long to compile as to run, where it is sanitized and optimised; kernels and what hosts them are optimised always.
SANITIZED = $(SANITIZE:%=-g1 -DGTR__ATTR_APART -fsanitize=% -fno-sanitize-recover=undefined)
$(EMULATED)/gputrain_cuda.o: $(CUDA) $(HEADER) $(wildcard tests/emulated/*) $(EMULATED)/.made
	CC='$(CC)' sh tests/emulated/build.sh $@ $(COMPUTE) $(SANITIZED)
COMPILE_EMULATED = $(CC) $(if $(SANITIZE),-O0,-O1) $(SANITIZED) -I. -DGPUTRAIN_CUDA $$(sh tests/emulated/build.sh includes)
$(EMULATED)/library.o: build/library.c tests/programs/counted.h $(EMULATED)/.made
	$(COMPILE_EMULATED) -c $< -o $@
$(EMULATED)/%: tests/programs/%.c $(HEADER) $(SHARED) $(EMULATED)/gputrain_cuda.o
	$(COMPILE_EMULATED) $(firstword $(APART)) -c $< -o $@.o && $(CXX) $(SANITIZED) -rdynamic -o $@ $@.o $(filter %/library.o,$^) $(EMULATED)/gputrain_cuda.o -ldl $(LIBS)

.SECONDARY:
.PHONY: help try rooms join run fashion cnn resnet segment autoencoder tabular online forecast keywords chars data test test-emulated test-cuda need-gpu check campaign campaign-fuzz campaign-compose campaign-graphs campaign-faults campaign-floats campaign-kills oracle bench bench-stream bench-online bench-next bench-plan hash clean
