#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Loop_0
{
    uint groups_0;
    uint out_at_0;
    uint jobs_0;
    uint iterations_0;
    float a_0;
    float b_0;
};

struct EntryPointParams_0
{
    Loop_0 p_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
};

[[kernel]] void peak_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    uint job_0 = group_0.x;
    for(;;)
    {
        if(job_0 < ((&kernelContext_0)->entryPointParams_0->p_0.jobs_0))
        {
        }
        else
        {
            break;
        }
        thread array<float, int(8)> s_0;
        uint _S1 = thread_0.x;
        s_0[int(0)] = float(_S1);
        s_0[int(1)] = float(_S1 + 1U);
        s_0[int(2)] = float(_S1 + 2U);
        s_0[int(3)] = float(_S1 + 3U);
        s_0[int(4)] = float(_S1 + 4U);
        s_0[int(5)] = float(_S1 + 5U);
        s_0[int(6)] = float(_S1 + 6U);
        s_0[int(7)] = float(_S1 + 7U);
        uint k_0 = 0U;
        for(;;)
        {
            if(k_0 < ((&kernelContext_0)->entryPointParams_0->p_0.iterations_0))
            {
            }
            else
            {
                break;
            }
            float _S2 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, s_0[int(0)], (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(0)] = _S2;
            float _S3 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, s_0[int(1)], (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(1)] = _S3;
            float _S4 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, s_0[int(2)], (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(2)] = _S4;
            float _S5 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, s_0[int(3)], (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(3)] = _S5;
            float _S6 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, s_0[int(4)], (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(4)] = _S6;
            float _S7 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, s_0[int(5)], (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(5)] = _S7;
            float _S8 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, s_0[int(6)], (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(6)] = _S8;
            float _S9 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, s_0[int(7)], (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(7)] = _S9;
            float _S10 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S2, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(0)] = _S10;
            float _S11 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S3, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(1)] = _S11;
            float _S12 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S4, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(2)] = _S12;
            float _S13 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S5, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(3)] = _S13;
            float _S14 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S6, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(4)] = _S14;
            float _S15 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S7, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(5)] = _S15;
            float _S16 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S8, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(6)] = _S16;
            float _S17 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S9, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(7)] = _S17;
            float _S18 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S10, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(0)] = _S18;
            float _S19 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S11, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(1)] = _S19;
            float _S20 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S12, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(2)] = _S20;
            float _S21 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S13, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(3)] = _S21;
            float _S22 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S14, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(4)] = _S22;
            float _S23 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S15, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(5)] = _S23;
            float _S24 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S16, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(6)] = _S24;
            float _S25 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S17, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(7)] = _S25;
            float _S26 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S18, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(0)] = _S26;
            float _S27 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S19, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(1)] = _S27;
            float _S28 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S20, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(2)] = _S28;
            float _S29 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S21, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(3)] = _S29;
            float _S30 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S22, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(4)] = _S30;
            float _S31 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S23, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(5)] = _S31;
            float _S32 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S24, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(6)] = _S32;
            float _S33 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S25, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(7)] = _S33;
            float _S34 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S26, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(0)] = _S34;
            float _S35 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S27, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(1)] = _S35;
            float _S36 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S28, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(2)] = _S36;
            float _S37 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S29, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(3)] = _S37;
            float _S38 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S30, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(4)] = _S38;
            float _S39 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S31, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(5)] = _S39;
            float _S40 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S32, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(6)] = _S40;
            float _S41 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S33, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(7)] = _S41;
            float _S42 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S34, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(0)] = _S42;
            float _S43 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S35, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(1)] = _S43;
            float _S44 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S36, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(2)] = _S44;
            float _S45 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S37, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(3)] = _S45;
            float _S46 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S38, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(4)] = _S46;
            float _S47 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S39, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(5)] = _S47;
            float _S48 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S40, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(6)] = _S48;
            float _S49 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S41, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(7)] = _S49;
            float _S50 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S42, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(0)] = _S50;
            float _S51 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S43, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(1)] = _S51;
            float _S52 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S44, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(2)] = _S52;
            float _S53 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S45, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(3)] = _S53;
            float _S54 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S46, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(4)] = _S54;
            float _S55 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S47, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(5)] = _S55;
            float _S56 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S48, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(6)] = _S56;
            float _S57 = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S49, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(7)] = _S57;
            s_0[int(0)] = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S50, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(1)] = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S51, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(2)] = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S52, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(3)] = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S53, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(4)] = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S54, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(5)] = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S55, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(6)] = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S56, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            s_0[int(7)] = fma((&kernelContext_0)->entryPointParams_0->p_0.a_0, _S57, (&kernelContext_0)->entryPointParams_0->p_0.b_0);
            k_0 = k_0 + 1U;
        }
        *((&kernelContext_0)->entryPointParams_out_0+((&kernelContext_0)->entryPointParams_0->p_0.out_at_0 + job_0 * 256U + _S1)) = s_0[int(0)] + s_0[int(1)] + s_0[int(2)] + s_0[int(3)] + s_0[int(4)] + s_0[int(5)] + s_0[int(6)] + s_0[int(7)];
        job_0 = job_0 + (&kernelContext_0)->entryPointParams_0->p_0.groups_0;
    }
    return;
}

