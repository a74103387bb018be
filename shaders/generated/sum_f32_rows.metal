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

Pair_0 joined_0(const Pair_0 thread* a_0, const Pair_0 thread* b_0)
{
    float sum_3 = a_0->sum_0 + b_0->sum_0;
    float b_part_0 = sum_3 - a_0->sum_0;
    return pairOf_0(sum_3, a_0->sum_0 - (sum_3 - b_part_0) + (b_0->sum_0 - b_part_0) + (a_0->lost_0 + b_0->lost_0));
}

struct Rows_0
{
    uint groups_0;
    uint out_at_0;
    uint lost_at_0;
    uint x_at_0;
    uint x_lost_at_0;
    uint count_at_0;
    uint rows_0;
    uint cols_0;
    uint stride_0;
    uint part_0;
    uint parts_0;
    float divisor_0;
};

struct EntryPointParams_0
{
    Rows_0 a_1;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
    float device* entryPointParams_lost_0;
    float device* entryPointParams_x_0;
    float device* entryPointParams_x_lost_0;
    uint device* entryPointParams_count_0;
    array<float2, int(128)> threadgroup* shared_pair_0;
};

Pair_0 pairOfGroup_0(const Pair_0 thread* p_0, uint thread_0, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_pair_0)[thread_0] = float2(p_0->sum_0, p_0->lost_0);
    Pair_0 _S2 = *p_0;
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

float closedPair_0(const Pair_0 thread* p_1)
{
    float _S7 = p_1->sum_0;
    float _S8;
    if(((as_type<uint>((p_1->sum_0))) & 2139095040U) != 2139095040U)
    {
        _S8 = _S7 + p_1->lost_0;
    }
    else
    {
        _S8 = _S7;
    }
    return _S8;
}

void keep_0(float device* out_0, uint out_at_1, float device* lost_3, uint lost_at_1, uint i_0, const Pair_0 thread* p_2, float divisor_1)
{
    if(lost_at_1 == 4294967295U)
    {
        float _S9 = closedPair_0(p_2);
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
        *(out_0+(out_at_1 + i_0)) = p_2->sum_0;
        *(lost_3+(lost_at_1 + i_0)) = p_2->lost_0;
    }
    return;
}

[[kernel]] void sum_f32_rows(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_1 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_lost_1 [[buffer(2)]], float device* entryPointParams_x_1 [[buffer(3)]], float device* entryPointParams_x_lost_1 [[buffer(4)]], uint device* entryPointParams_count_1 [[buffer(5)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_1)->entryPointParams_lost_0 = entryPointParams_lost_1;
    (&kernelContext_1)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_1)->entryPointParams_x_lost_0 = entryPointParams_x_lost_1;
    (&kernelContext_1)->entryPointParams_count_0 = entryPointParams_count_1;
    threadgroup array<float2, int(128)> shared_pair_1;
    (&kernelContext_1)->shared_pair_0 = &shared_pair_1;
    uint job_0 = group_0.x;
    for(;;)
    {
        if(job_0 < ((&kernelContext_1)->entryPointParams_0->a_1.rows_0 * (&kernelContext_1)->entryPointParams_0->a_1.parts_0))
        {
        }
        else
        {
            break;
        }
        uint _S12 = job_0 / (&kernelContext_1)->entryPointParams_0->a_1.parts_0;
        uint _S13 = _S12 * (&kernelContext_1)->entryPointParams_0->a_1.stride_0;
        uint _S14 = job_0 % (&kernelContext_1)->entryPointParams_0->a_1.parts_0;
        uint from_0 = _S14 * (&kernelContext_1)->entryPointParams_0->a_1.part_0;
        uint _S15 = min((&kernelContext_1)->entryPointParams_0->a_1.cols_0, from_0 + (&kernelContext_1)->entryPointParams_0->a_1.part_0);
        Pair_0 _S16 = pairOf_0(0.0f, 0.0f);
        uint _S17 = thread_1.x;
        uint base_0 = from_0 + _S17;
        Pair_0 p_3 = _S16;
        for(;;)
        {
            bool _S18 = base_0 < _S15;
            if(_S18)
            {
            }
            else
            {
                break;
            }
            thread array<Pair_0, int(4)> terms_0;
            terms_0[0U] = _S16;
            if(_S18)
            {
                (&terms_0[0U])->sum_0 = (&kernelContext_1)->entryPointParams_x_0[(&kernelContext_1)->entryPointParams_0->a_1.x_at_0 + _S13 + base_0];
                if(((&kernelContext_1)->entryPointParams_0->a_1.x_lost_at_0) != 4294967295U)
                {
                    (&terms_0[0U])->lost_0 = (&kernelContext_1)->entryPointParams_x_lost_0[(&kernelContext_1)->entryPointParams_0->a_1.x_lost_at_0 + _S13 + base_0];
                }
            }
            uint j_0 = base_0 + 128U;
            terms_0[1U] = _S16;
            if(j_0 < _S15)
            {
                (&terms_0[1U])->sum_0 = (&kernelContext_1)->entryPointParams_x_0[(&kernelContext_1)->entryPointParams_0->a_1.x_at_0 + _S13 + j_0];
                if(((&kernelContext_1)->entryPointParams_0->a_1.x_lost_at_0) != 4294967295U)
                {
                    (&terms_0[1U])->lost_0 = (&kernelContext_1)->entryPointParams_x_lost_0[(&kernelContext_1)->entryPointParams_0->a_1.x_lost_at_0 + _S13 + j_0];
                }
            }
            uint j_1 = base_0 + 256U;
            terms_0[2U] = _S16;
            if(j_1 < _S15)
            {
                (&terms_0[2U])->sum_0 = (&kernelContext_1)->entryPointParams_x_0[(&kernelContext_1)->entryPointParams_0->a_1.x_at_0 + _S13 + j_1];
                if(((&kernelContext_1)->entryPointParams_0->a_1.x_lost_at_0) != 4294967295U)
                {
                    (&terms_0[2U])->lost_0 = (&kernelContext_1)->entryPointParams_x_lost_0[(&kernelContext_1)->entryPointParams_0->a_1.x_lost_at_0 + _S13 + j_1];
                }
            }
            uint j_2 = base_0 + 384U;
            terms_0[3U] = _S16;
            if(j_2 < _S15)
            {
                (&terms_0[3U])->sum_0 = (&kernelContext_1)->entryPointParams_x_0[(&kernelContext_1)->entryPointParams_0->a_1.x_at_0 + _S13 + j_2];
                if(((&kernelContext_1)->entryPointParams_0->a_1.x_lost_at_0) != 4294967295U)
                {
                    (&terms_0[3U])->lost_0 = (&kernelContext_1)->entryPointParams_x_lost_0[(&kernelContext_1)->entryPointParams_0->a_1.x_lost_at_0 + _S13 + j_2];
                }
            }
            thread Pair_0 _S19 = p_3;
            thread Pair_0 _S20 = terms_0[0U];
            Pair_0 _S21 = joined_0(&_S19, &_S20);
            thread Pair_0 _S22 = _S21;
            thread Pair_0 _S23 = terms_0[1U];
            Pair_0 _S24 = joined_0(&_S22, &_S23);
            thread Pair_0 _S25 = _S24;
            thread Pair_0 _S26 = terms_0[2U];
            Pair_0 _S27 = joined_0(&_S25, &_S26);
            thread Pair_0 _S28 = _S27;
            thread Pair_0 _S29 = terms_0[3U];
            Pair_0 _S30 = joined_0(&_S28, &_S29);
            base_0 = base_0 + 512U;
            p_3 = _S30;
        }
        thread Pair_0 _S31 = p_3;
        Pair_0 _S32 = pairOfGroup_0(&_S31, _S17, &kernelContext_1);
        if(_S17 != 0U)
        {
            job_0 = job_0 + (&kernelContext_1)->entryPointParams_0->a_1.groups_0;
            continue;
        }
        Rows_0 _S33 = (&kernelContext_1)->entryPointParams_0->a_1;
        Pair_0 p_4;
        float divisor_2;
        if(((&kernelContext_1)->entryPointParams_0->a_1.count_at_0) != 4294967295U)
        {
            uint n_0 = (&kernelContext_1)->entryPointParams_count_0[(&kernelContext_1)->entryPointParams_0->a_1.count_at_0];
            float _S34 = float(n_0);
            if(n_0 == 0U)
            {
                p_4 = _S16;
                divisor_2 = 1.0f;
            }
            else
            {
                p_4 = _S32;
                divisor_2 = _S34;
            }
        }
        else
        {
            p_4 = _S32;
            divisor_2 = _S33.divisor_0;
        }
        Rows_0 _S35 = (&kernelContext_1)->entryPointParams_0->a_1;
        Rows_0 _S36 = (&kernelContext_1)->entryPointParams_0->a_1;
        thread Pair_0 _S37 = p_4;
        keep_0((&kernelContext_1)->entryPointParams_out_0, _S35.out_at_0, (&kernelContext_1)->entryPointParams_lost_0, _S36.lost_at_0, job_0, &_S37, divisor_2);
        job_0 = job_0 + (&kernelContext_1)->entryPointParams_0->a_1.groups_0;
    }
    return;
}

