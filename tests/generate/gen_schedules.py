"""Writes tests/tables/schedules.h: the rates of PyTorch's schedulers, which test_stopping.c compares trainers' rates with.
    python3 tests/generate/gen_schedules.py"""
import os
import numpy as np
import torch
from torch.optim.lr_scheduler import CosineAnnealingLR, ExponentialLR, LinearLR, OneCycleLR, ReduceLROnPlateau, StepLR

STEPS = 40
f32 = lambda x: float(np.float32(x))
LR = f32(0.1)

# fields of gtr_trainer_desc, and PyTorch's of the same
CLOSED = [
    ("GTR_STEP_DECAY", {"decay_steps": 7}, lambda o: StepLR(o, 7)),
    ("GTR_STEP_DECAY", {"decay_steps": 3, "gamma": 0.5}, lambda o: StepLR(o, 3, 0.5)),
    ("GTR_EXPONENTIAL", {"gamma": 0.9}, lambda o: ExponentialLR(o, f32(0.9))),
    ("GTR_LINEAR", {"total_steps": 5}, lambda o: LinearLR(o)),
    ("GTR_LINEAR", {"total_steps": 30, "start_factor": 1, "end_factor": 0.125}, lambda o: LinearLR(o, 1, 0.125, 30)),
    ("GTR_ONE_CYCLE", {"total_steps": 40}, lambda o: OneCycleLR(o, LR, 40)),
    ("GTR_ONE_CYCLE", {"total_steps": 40, "pct_start": 0.4, "div_factor": 10, "final_div_factor": 100, "three_phase": 1},
     lambda o: OneCycleLR(o, LR, 40, pct_start=f32(0.4), div_factor=10, final_div_factor=100, three_phase=True)),
    ("GTR_ONE_CYCLE", {"total_steps": 43, "anneal_linear": 1}, lambda o: OneCycleLR(o, LR, 43, anneal_strategy="linear")),
    ("GTR_COSINE", {"total_steps": 40, "min_lr": 0.01}, lambda o: CosineAnnealingLR(o, 40, f32(0.01))),
]
# Evaluations: fall, stand, rise, fall by little.
VALUES = [f32(v) for v in ([1.0, 0.8, 0.79, 0.795, 0.79, 0.7899, 0.9, 0.78, 0.77995, 0.77995, 0.78, 0.5] + [0.5] * 12
                           + [0.49999, 0.3, float("nan"), 0.2999] + [0.31] * 12)]
PLATEAU = [
    ({}, False, {}),
    ({"plateau_patience": 2}, False, {"patience": 2}),
    ({"plateau_patience": -1, "gamma": 0.5, "min_lr": 0.01}, False, {"patience": 0, "factor": 0.5, "min_lr": f32(0.01)}),
    ({"plateau_patience": 1, "plateau_cooldown": 3}, False, {"patience": 1, "cooldown": 3}),
    ({"plateau_patience": 2, "threshold": 0.05}, True, {"patience": 2, "threshold": f32(0.05)}),
    ({"plateau_patience": 2, "threshold": 0.02, "threshold_absolute": 1}, False,
     {"patience": 2, "threshold": f32(0.02), "threshold_mode": "abs"}),
]
FIELDS = ["total_steps", "decay_steps", "gamma", "min_lr", "start_factor", "end_factor", "pct_start", "div_factor",
          "final_div_factor", "anneal_linear", "three_phase", "plateau_patience", "plateau_cooldown", "threshold",
          "threshold_absolute"]


def optimizer():
    return torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=LR)


def rates(make):
    o = optimizer()
    s = make(o)
    out = []
    for _ in range(STEPS):
        out.append(o.param_groups[0]["lr"])
        o.step()
        s.step()
    return out


def plateau(largest, options):
    o = optimizer()
    s = ReduceLROnPlateau(o, mode="max" if largest else "min", **options)
    out = []
    for v in VALUES:
        s.step(v)
        out.append(o.param_groups[0]["lr"])
    return out


def number(v):
    text = "NAN" if v != v else repr(v)
    return "%.9g" % v if v == v and len(text) > 12 else text


def row(lines, head, values):
    text = "    { %s, {" % head
    for v in values:
        if len(text) > 104:
            lines.append(text)
            text = "       "
        text += " %s," % number(v)
    lines.append(text.rstrip(",") + " } },")


def main():
    torch.set_num_threads(1)
    lines = ["/* Made by gen_schedules.py: rates of PyTorch %s, from a rate of 0.1f. */" % torch.__version__.split("+")[0],
             "enum { SCHEDULE_STEPS = %d };" % STEPS,
             "static const struct {", "    gtr_schedule schedule; int largest;", "    double %s;" % ", ".join(FIELDS[:6]),
             "    double %s;" % ", ".join(FIELDS[6:11]), "    double %s;" % ", ".join(FIELDS[11:]), "    double rate[SCHEDULE_STEPS];", "} schedules[] = {"]
    for schedule, fields, make in CLOSED:
        row(lines, "%s, 0, %s" % (schedule, ", ".join("%g" % fields.get(f, 0) for f in FIELDS)), rates(make))
    for fields, largest, options in PLATEAU:
        row(lines, "GTR_PLATEAU, %d, %s" % (largest, ", ".join("%g" % fields.get(f, 0) for f in FIELDS)),
            plateau(largest, options))
    lines += ["};", "/* What a plateau's evaluations gave. */", "static const float evaluations[SCHEDULE_STEPS] = {"]
    text = "   "
    for v in VALUES:
        if len(text) > 104:
            lines.append(text)
            text = "   "
        text += " %s," % ("NAN" if v != v else "%.9gf" % v if "." in "%.9g" % v else "%.1ff" % v)
    assert len(VALUES) == STEPS, len(VALUES)
    lines += [text.rstrip(","), "};"]
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tables/schedules.h"), "w") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
