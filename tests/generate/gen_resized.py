"""Writes tests/tables/resized.h: images resized and cropped by PyTorch, which test_files.c compares gtr_dataset_images with.
    python3 tests/generate/gen_resized.py"""
import os
import torch
import torch.nn.functional as F

# height, width, channels of the file; height, width wanted; the shorter side is resized to (0: what the crop needs)
CASES = [(7, 5, 3, 4, 4, 0), (5, 9, 1, 5, 5, 0), (4, 4, 3, 7, 6, 0), (31, 17, 1, 6, 3, 0), (6, 8, 3, 3, 5, 5),
         (64, 40, 1, 8, 8, 9), (3, 2, 3, 5, 8, 0), (9, 9, 3, 8, 8, 0), (1, 6, 1, 3, 3, 0)]


def image(h, w, c):
    i = torch.arange(h * w * c)
    return ((i * 37 + i // 7 * 11) % 256).reshape(h, w, c).permute(2, 0, 1).double()


def resized(case):
    h, w, c, oh, ow, side = case
    tall = h >= w if side else h * ow >= w * oh         # the width is what is given
    size = (side or ow) if tall else (side or oh)
    nh, nw = (h * size // w, size) if tall else (size, w * size // h)
    x = F.interpolate(image(h, w, c)[None], (nh, nw), mode="bilinear", align_corners=False, antialias=True)[0]
    top, left = (nh - oh) // 2, (nw - ow) // 2
    return torch.floor(x[:, top:top + oh, left:left + ow].permute(1, 2, 0) + 0.5).to(torch.uint8).flatten().tolist()


def main():
    torch.set_num_threads(1)
    lines = ["/* Made by gen_resized.py: images resized and cropped by PyTorch. */",
             "static const struct { int h, w, c, oh, ow, side; unsigned char want[192]; } resized[] = {"]
    for case in CASES:
        text = "    { %s, { " % ", ".join(map(str, case))
        for v in resized(case):
            if len(text) > 112:
                lines.append(text.rstrip())
                text = "        "
            text += "%d, " % v
        lines.append(text.rstrip(", ") + " } },")
    lines[-1] = lines[-1].rstrip(",")
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tables/resized.h"), "w") as f:
        f.write("\n".join(lines) + "\n};\n")


if __name__ == "__main__":
    main()
