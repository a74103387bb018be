#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Pair_0
{
    float sum_0;
    float lost_0;
};

Pair_0 Pair_x24init_0(float sum_1, float lost_1)
{
    thread Pair_0 _S1;
    (&_S1)->sum_0 = sum_1;
    (&_S1)->lost_0 = lost_1;
    return _S1;
}

Pair_0 pairOf_0(float sum_2, float lost_2)
{
    return Pair_x24init_0(sum_2, lost_2);
}

float lostOf_0(float a_0, float b_0, float p_0)
{
    float a_high_0 = (as_type<float>(((as_type<uint>((a_0))) & 4294963200U)));
    float b_high_0 = (as_type<float>(((as_type<uint>((b_0))) & 4294963200U)));
    float a_low_0 = a_0 - a_high_0;
    float b_low_0 = b_0 - b_high_0;
    return a_high_0 * b_high_0 - p_0 + a_high_0 * b_low_0 + a_low_0 * b_high_0 + a_low_0 * b_low_0;
}

Pair_0 squareOf_0(float x_0)
{
    float square_0 = x_0 * x_0;
    return pairOf_0(square_0, lostOf_0(x_0, x_0, square_0));
}

Pair_0 joined_0(const Pair_0 thread* a_1, const Pair_0 thread* b_1)
{
    float sum_3 = a_1->sum_0 + b_1->sum_0;
    float b_part_0 = sum_3 - a_1->sum_0;
    return pairOf_0(sum_3, a_1->sum_0 - (sum_3 - b_part_0) + (b_1->sum_0 - b_part_0) + (a_1->lost_0 + b_1->lost_0));
}

struct Parts_0
{
    uint groups_0;
    uint out_at_0;
    uint lost_at_0;
    uint x_at_0;
    uint target_at_0;
    uint count_0;
    uint part_0;
    uint parts_0;
    float divisor_0;
};

struct EntryPointParams_0
{
    Parts_0 a_2;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
    float device* entryPointParams_lost_0;
    float device* entryPointParams_x_0;
    float device* entryPointParams_target_0;
    array<float2, int(128)> threadgroup* shared_pair_0;
};

Pair_0 pairOfGroup_0(const Pair_0 thread* p_1, uint thread_0, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_pair_0)[thread_0] = float2(p_1->sum_0, p_1->lost_0);
    Pair_0 _S2 = *p_1;
    uint half_0 = 64U;
    for(;;)
    {
        if(half_0 > 0U)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if(thread_0 < half_0)
        {
            Pair_0 _S3 = pairOf_0((*kernelContext_0->shared_pair_0)[thread_0 + half_0].x, (*kernelContext_0->shared_pair_0)[thread_0 + half_0].y);
            thread Pair_0 _S4 = _S2;
            thread Pair_0 _S5 = _S3;
            Pair_0 _S6 = joined_0(&_S4, &_S5);
            (*kernelContext_0->shared_pair_0)[thread_0] = float2(_S6.sum_0, _S6.lost_0);
            _S2 = _S6;
        }
        half_0 = half_0 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return pairOf_0((*kernelContext_0->shared_pair_0)[int(0)].x, (*kernelContext_0->shared_pair_0)[int(0)].y);
}

float closedPair_0(const Pair_0 thread* p_2)
{
    float _S7 = p_2->sum_0;
    float _S8;
    if(((as_type<uint>((p_2->sum_0))) & 2139095040U) != 2139095040U)
    {
        _S8 = _S7 + p_2->lost_0;
    }
    else
    {
        _S8 = _S7;
    }
    return _S8;
}

void keep_0(float device* out_0, uint out_at_1, float device* lost_3, uint lost_at_1, uint i_0, const Pair_0 thread* p_3, float divisor_1)
{
    if(lost_at_1 == 4294967295U)
    {
        float _S9 = closedPair_0(p_3);
        float device* _S10 = out_0+(out_at_1 + i_0);
        float _S11;
        if(divisor_1 == 1.0f)
        {
            _S11 = _S9;
        }
        else
        {
            _S11 = _S9 / divisor_1;
        }
        *_S10 = _S11;
    }
    else
    {
        *(out_0+(out_at_1 + i_0)) = p_3->sum_0;
        *(lost_3+(lost_at_1 + i_0)) = p_3->lost_0;
    }
    return;
}

[[kernel]] void mse_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_lost_1 [[buffer(2)]], float device* entryPointParams_x_1 [[buffer(3)]], float device* entryPointParams_target_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_1)->entryPointParams_lost_0 = entryPointParams_lost_1;
    (&kernelContext_1)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_1)->entryPointParams_target_0 = entryPointParams_target_1;
    threadgroup array<float2, int(128)> shared_pair_1;
    (&kernelContext_1)->shared_pair_0 = &shared_pair_1;
    uint job_0 = group_0.x;
    for(;;)
    {
        if(job_0 < ((&kernelContext_1)->entryPointParams_0->a_2.parts_0))
        {
        }
        else
        {
            break;
        }
        uint from_0 = job_0 * (&kernelContext_1)->entryPointParams_0->a_2.part_0;
        uint _S12 = min((&kernelContext_1)->entryPointParams_0->a_2.count_0, from_0 + (&kernelContext_1)->entryPointParams_0->a_2.part_0);
        Pair_0 _S13 = pairOf_0(0.0f, 0.0f);
        uint _S14 = thread_1.x;
        uint base_0 = from_0 + _S14;
        Pair_0 p_4 = _S13;
        for(;;)
        {
            bool _S15 = base_0 < _S12;
            if(_S15)
            {
            }
            else
            {
                break;
            }
            thread array<float, int(4)> v_0;
            v_0[0U] = 0.0f;
            if(_S15)
            {
                v_0[0U] = (&kernelContext_1)->entryPointParams_x_0[(&kernelContext_1)->entryPointParams_0->a_2.x_at_0 + base_0] - (&kernelContext_1)->entryPointParams_target_0[(&kernelContext_1)->entryPointParams_0->a_2.target_at_0 + base_0];
            }
            uint j_0 = base_0 + 128U;
            v_0[1U] = 0.0f;
            if(j_0 < _S12)
            {
                v_0[1U] = (&kernelContext_1)->entryPointParams_x_0[(&kernelContext_1)->entryPointParams_0->a_2.x_at_0 + j_0] - (&kernelContext_1)->entryPointParams_target_0[(&kernelContext_1)->entryPointParams_0->a_2.target_at_0 + j_0];
            }
            uint j_1 = base_0 + 256U;
            v_0[2U] = 0.0f;
            if(j_1 < _S12)
            {
                v_0[2U] = (&kernelContext_1)->entryPointParams_x_0[(&kernelContext_1)->entryPointParams_0->a_2.x_at_0 + j_1] - (&kernelContext_1)->entryPointParams_target_0[(&kernelContext_1)->entryPointParams_0->a_2.target_at_0 + j_1];
            }
            uint j_2 = base_0 + 384U;
            v_0[3U] = 0.0f;
            if(j_2 < _S12)
            {
                v_0[3U] = (&kernelContext_1)->entryPointParams_x_0[(&kernelContext_1)->entryPointParams_0->a_2.x_at_0 + j_2] - (&kernelContext_1)->entryPointParams_target_0[(&kernelContext_1)->entryPointParams_0->a_2.target_at_0 + j_2];
            }
            Pair_0 _S16 = squareOf_0(v_0[0U]);
            thread Pair_0 _S17 = p_4;
            thread Pair_0 _S18 = _S16;
            Pair_0 _S19 = joined_0(&_S17, &_S18);
            Pair_0 _S20 = squareOf_0(v_0[1U]);
            thread Pair_0 _S21 = _S19;
            thread Pair_0 _S22 = _S20;
            Pair_0 _S23 = joined_0(&_S21, &_S22);
            Pair_0 _S24 = squareOf_0(v_0[2U]);
            thread Pair_0 _S25 = _S23;
            thread Pair_0 _S26 = _S24;
            Pair_0 _S27 = joined_0(&_S25, &_S26);
            Pair_0 _S28 = squareOf_0(v_0[3U]);
            thread Pair_0 _S29 = _S27;
            thread Pair_0 _S30 = _S28;
            Pair_0 _S31 = joined_0(&_S29, &_S30);
            base_0 = base_0 + 512U;
            p_4 = _S31;
        }
        thread Pair_0 _S32 = p_4;
        Pair_0 _S33 = pairOfGroup_0(&_S32, _S14, &kernelContext_1);
        if(_S14 == 0U)
        {
            Parts_0 _S34 = (&kernelContext_1)->entryPointParams_0->a_2;
            Parts_0 _S35 = (&kernelContext_1)->entryPointParams_0->a_2;
            Parts_0 _S36 = (&kernelContext_1)->entryPointParams_0->a_2;
            thread Pair_0 _S37 = _S33;
            keep_0((&kernelContext_1)->entryPointParams_out_0, _S34.out_at_0, (&kernelContext_1)->entryPointParams_lost_0, _S35.lost_at_0, job_0, &_S37, _S36.divisor_0);
        }
        job_0 = job_0 + (&kernelContext_1)->entryPointParams_0->a_2.groups_0;
    }
    return;
}

