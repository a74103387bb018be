#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Advance_0
{
    uint groups_0;
    uint state_at_0;
    uint blocks_0;
};

struct EntryPointParams_0
{
    Advance_0 a_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_state_0;
};

[[kernel]] void random_advance_u32(EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_state_1 [[buffer(1)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_state_0 = entryPointParams_state_1;
    uint at_0 = entryPointParams_1->a_0.state_at_0 + 2U;
    uint device* _S1 = entryPointParams_state_1+at_0;
    *_S1 = *_S1 + entryPointParams_1->a_0.blocks_0;
    bool _S2;
    if((*(entryPointParams_state_1+at_0)) < (entryPointParams_1->a_0.blocks_0))
    {
        uint device* _S3 = (&kernelContext_0)->entryPointParams_state_0+(at_0 + 1U);
        uint _S4 = *_S3 + 1U;
        *_S3 = _S4;
        _S2 = _S4 == 0U;
    }
    else
    {
        _S2 = false;
    }
    if(_S2)
    {
        uint device* _S5 = (&kernelContext_0)->entryPointParams_state_0+(at_0 + 2U);
        uint _S6 = *_S5 + 1U;
        *_S5 = _S6;
        _S2 = _S6 == 0U;
    }
    else
    {
        _S2 = false;
    }
    if(_S2)
    {
        uint device* _S7 = (&kernelContext_0)->entryPointParams_state_0+(at_0 + 3U);
        *_S7 = *_S7 + 1U;
    }
    return;
}

