"""Writes tests/fixtures/blocks.safetensors: weights of a GPT-2 block and a Llama layer of transformers' (Hugging Face), under the names that they
have there, what both read ("x"), and what each makes of it ("gpt2.y", "llama.y"), causal. Float32, in evaluation.
Usage: python3 tests/generate/gen_blocks.py (needs torch, transformers, safetensors)."""
import os
import torch
from safetensors.torch import save_file
from transformers import GPT2Config, LlamaConfig
from transformers.models.gpt2.modeling_gpt2 import GPT2Block
from transformers.models.llama.modeling_llama import LlamaDecoderLayer, LlamaRotaryEmbedding

STEPS, WIDTH, HEADS, GROUPS, HIDDEN = 7, 24, 6, 3, 40
torch.manual_seed(51)
x = torch.randn(2, STEPS, WIDTH)
gpt2 = GPT2Block(GPT2Config(n_embd=WIDTH, n_head=HEADS, n_inner=HIDDEN, layer_norm_epsilon=1e-5, attn_implementation="sdpa"), layer_idx=0).eval()
config = LlamaConfig(hidden_size=WIDTH, intermediate_size=HIDDEN, num_attention_heads=HEADS, num_key_value_heads=GROUPS, rms_norm_eps=1e-5,
    rope_parameters={"rope_type": "default", "rope_theta": 500.0}, attn_implementation="sdpa")
llama = LlamaDecoderLayer(config, 0).eval()
tensors = {"x": x}
with torch.no_grad():
    for name, block in (("gpt2", gpt2), ("llama", llama)):
        for key, p in block.named_parameters():
            p.copy_(torch.randn_like(p) * 0.3 + (1 if "ln_" in key and key.endswith("weight") or "layernorm" in key else 0))
            tensors[f"{name}.{key}"] = p.detach().clone().contiguous()
    places = torch.arange(STEPS)[None]
    outs = {"gpt2": gpt2(x), "llama": llama(x, position_ids=places, position_embeddings=LlamaRotaryEmbedding(config)(x, places))}
for name, y in outs.items():
    tensors[f"{name}.y"] = (y[0] if isinstance(y, tuple) else y).contiguous()
save_file(tensors, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../fixtures/blocks.safetensors"))
