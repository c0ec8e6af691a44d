"""Pickles that PyTorch's tensors wrote without `torch.save`: programs keep test data in them."""

import base64
import pickle
import zlib

import chainrule.run

# zlib.compress(pickle.dumps({"x": torch.arange(4.0).view(2, 2).t()})) by PyTorch 2.13
WRITTEN = (
    'c${reJx{|h5Y1Pqlu}f&u`z}v5-rd&fe`9q@l}>A$VwB_8kxBMNJWt<WdQ-ohS^}}ukjO*7`QeI11IY&Kfil-'
    '?+Wkj!?u<&H>G`N%2mx}G7fRBDO09g$C3<l%2KRJrntn@ws|!{*{o;^u6RUD*}{y+DZZBc77u5dC}15mK)P^VeD?'
    'F+|K7a$Jl_Zl=j6+UJQr3FwV>@pa?KOY@RUeJc_wTiL{0c%RBJ{s$x<3;!g-'
    '2(0QGD_u%h=w33o2MAgTeV#$0MqLr&zvi)LD^ATRP38ax|`I`Z-ydInK_L9Rv?R<g9<_hE2-'
    'S%JQ=qcz~{cY3`}Z)dyPY43LTM5UWda^WKHR15C{)UJf}AJ>jU&-'
    'xq10i;7XhvvZy46=}eoJWJ~MSd<D;GK~~gLPPU<4mSRlJuA+8aB8!FdAx9_zV2Oe<u'
)  # fmt: skip


def test_a_plain_pickle_of_pytorch_is_read():
    with chainrule.run.installed():
        found = pickle.loads(zlib.decompress(base64.b85decode(WRITTEN)))
    assert found["x"].tolist() == [[0.0, 2.0], [1.0, 3.0]]
    assert found["x"].stride() == (1, 2)
