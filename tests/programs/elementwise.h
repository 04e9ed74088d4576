/* A row for each element-wise op, which drives its tests: op_rows.h (for test_ops.c and fuzz_api.c), test_ops.c
   (fusions), test_goldens.c and test_torch.c expand it; gen_goldens.py and gen_graphs.py read it. X(ID, name, kinds of
   inputs (`Kinds` of op_rows.h), flags there, how it is built of tensors x and y, its definition in doubles x and y,
   PyTorch's form, or "" where gen_goldens.py has cases of its own). */
#define UNARY_TESTS(X) \
    X(SCALE, scale, "X", 0, gtr_scale(x, 1.5f, -0.25f), 1.5 * x - 0.25, "") \
    X(RELU, relu, "N", 0, gtr_relu(x), x < 0 ? 0 : x, "") \
    X(TANH, tanh, "X", 0, gtr_tanh(x), tanh(x), "") \
    X(SIGMOID, sigmoid, "X", 0, gtr_sigmoid(x), 1 / (1 + exp(-x)), "") \
    X(GELU, gelu, "X", 0, gtr_gelu(x), x * 0.5 * (1 + erf(x / sqrt(2.0))), "") \
    X(GELU_TANH, gelu_tanh, "X", 0, gtr_gelu_tanh(x), \
        x * 0.5 * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x))), "") \
    X(EXP, exp, "X", 0, gtr_exp(x), exp(x), "") \
    X(LOG, log, "P", 0, gtr_log(x), log(x), "") \
    X(NEG, neg, "X", 0, gtr_neg(x), -x, "-x") \
    X(ABS, abs, "N", 0, gtr_abs(x), fabs(x), "x.abs()") \
    X(SQRT, sqrt, "P", 0, gtr_sqrt(x), sqrt(x), "x.sqrt()") \
    X(RSQRT, rsqrt, "P", 0, gtr_rsqrt(x), 1 / sqrt(x), "x.rsqrt()") \
    X(SQUARE, square, "X", 0, gtr_square(x), x * x, "x.square()") \
    X(RECIPROCAL, reciprocal, "Q", 0, gtr_reciprocal(x), 1 / x, "x.reciprocal()") \
    X(POW_SCALAR, pow_scalar, "P", 0, gtr_pow_scalar(x, 1.75f), pow(x, 1.75), "x.pow(1.75)") \
    X(SIN, sin, "F", 0, gtr_sin(x), sin(x), "x.sin()") \
    X(COS, cos, "F", 0, gtr_cos(x), cos(x), "x.cos()") \
    X(LOG1P, log1p, "P", 0, gtr_log1p(x), log1p(x), "x.log1p()") \
    X(EXPM1, expm1, "X", 0, gtr_expm1(x), expm1(x), "x.expm1()") \
    X(SOFTPLUS, softplus, "F", 0, gtr_softplus(x, 1.5f), (x < 0 ? 0 : x) + log1p(exp(-1.5 * fabs(x))) / 1.5, \
        "F.softplus(x, 1.5, 50)") \
    X(LEAKY_RELU, leaky_relu, "F", 0, gtr_leaky_relu(x, 0.25f), x > 0 ? x : 0.25 * x, "F.leaky_relu(x, 0.25)") \
    X(RELU6, relu6, "F", 0, gtr_relu6(x), x < 0 ? 0 : x > 6 ? 6 : x, "F.relu6(x)") \
    X(CLAMP, clamp, "F", 0, gtr_clamp(x, -1, 2), x < -1 ? -1 : x > 2 ? 2 : x, "x.clamp(-1, 2)") \
    X(ELU, elu, "F", 0, gtr_elu(x, 1.25f), x > 0 ? x : 1.25 * expm1(x), "F.elu(x, 1.25)") \
    X(SELU, selu, "F", 0, gtr_selu(x), \
        1.0507009873554804934 * (x > 0 ? x : 1.6732632423543772848 * expm1(x)), "F.selu(x)") \
    X(SILU, silu, "F", 0, gtr_silu(x), x / (1 + exp(-x)), "F.silu(x)") \
    X(MISH, mish, "F", 0, gtr_mish(x), x * tanh((x < 0 ? 0 : x) + log1p(exp(-fabs(x)))), "F.mish(x)") \
    X(HARD_SIGMOID, hard_sigmoid, "F", 0, gtr_hard_sigmoid(x), x < -3 ? 0 : x > 3 ? 1 : (x + 3) / 6, \
        "F.hardsigmoid(x)") \
    X(HARD_SWISH, hard_swish, "F", 0, gtr_hard_swish(x), x * (x < -3 ? 0 : x > 3 ? 1 : (x + 3) / 6), "F.hardswish(x)") \
    X(SIGN, sign, "D", NO_GRADIENT, gtr_sign(x), x > 0 ? 1 : x < 0 ? -1 : x, "x.sign()") \
    X(FLOOR, floor, "D", NO_GRADIENT, gtr_floor(x), floor(x), "x.floor()") \
    X(ROUND, round, "D", NO_GRADIENT, gtr_round(x), rint(x), "x.round()") \
    X(IS_NAN, is_nan, "D", NO_GRADIENT, gtr_is_nan(x), x != x ? 1 : 0, "x.isnan().double()")
#define PUBLIC_BINARY_TESTS(X) \
    X(ADD, add, "XX", 0, gtr_add(x, y), x + y, "") \
    X(SUB, sub, "XX", 0, gtr_sub(x, y), x - y, "") \
    X(MUL, mul, "XX", 0, gtr_mul(x, y), x * y, "") \
    X(DIV, div, "XQ", 0, gtr_div(x, y), x / y, "") \
    X(MINIMUM, minimum, "FD", 0, gtr_minimum(x, y), x != x || x < y ? x : y, "torch.minimum(x, y)") \
    X(MAXIMUM, maximum, "FD", 0, gtr_maximum(x, y), x != x || x > y ? x : y, "torch.maximum(x, y)") \
    X(POW, pow, "PX", 0, gtr_pow(x, y), pow(x, y), "x.pow(y)") \
    X(LESS, less, "DD", NO_GRADIENT, gtr_less(x, y), x < y ? 1 : 0, "(x < y).double()") \
    X(GREATER, greater, "DD", NO_GRADIENT, gtr_greater(x, y), x > y ? 1 : 0, "(x > y).double()") \
    X(EQUAL, equal_to, "DD", NO_GRADIENT, gtr_equal(x, y), x == y ? 1 : 0, "(x == y).double()")
/* With those that builders alone make. */
#define BINARY_TESTS(X) PUBLIC_BINARY_TESTS(X) \
    X(RECTIFY, rectify, "NX", 0, gtr__op2(GTR__OP_RECTIFY, x, y), x > 0 ? x : x * y, "") \
    X(MASK, mask, "DX", PASSES_0, gtr__op2(GTR__OP_MASK, x, y), x != 0 ? y : -0.0, "") \
    X(MASK_NOT, mask_not, "DX", PASSES_0, gtr__op2(GTR__OP_MASK_NOT, x, y), x != 0 ? -0.0 : y, "")
