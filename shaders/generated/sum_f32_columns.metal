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

float closedPair_0(const Pair_0 thread* p_0)
{
    float _S2 = p_0->sum_0;
    float _S3;
    if(((as_type<uint>((p_0->sum_0))) & 2139095040U) != 2139095040U)
    {
        _S3 = _S2 + p_0->lost_0;
    }
    else
    {
        _S3 = _S2;
    }
    return _S3;
}

void keep_0(float device* out_0, uint out_at_0, float device* lost_3, uint lost_at_0, uint i_0, const Pair_0 thread* p_1, float divisor_0)
{
    if(lost_at_0 == 4294967295U)
    {
        float _S4 = closedPair_0(p_1);
        float device* _S5 = out_0+(out_at_0 + i_0);
        float _S6;
        if(divisor_0 == 1.0f)
        {
            _S6 = _S4;
        }
        else
        {
            _S6 = _S4 / divisor_0;
        }
        *_S5 = _S6;
    }
    else
    {
        *(out_0+(out_at_0 + i_0)) = p_1->sum_0;
        *(lost_3+(lost_at_0 + i_0)) = p_1->lost_0;
    }
    return;
}

struct Columns_0
{
    uint groups_0;
    uint out_at_1;
    uint lost_at_1;
    uint x_at_0;
    uint x_lost_at_0;
    uint outer_0;
    uint rows_0;
    uint cols_0;
    uint matrix_stride_0;
    int row_stride_0;
    uint chunk_0;
    uint chunks_0;
    float divisor_1;
};

struct EntryPointParams_0
{
    Columns_0 a_1;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_out_0;
    float device* entryPointParams_lost_0;
    float device* entryPointParams_x_0;
    float device* entryPointParams_x_lost_0;
};

[[kernel]] void sum_f32_columns(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_lost_1 [[buffer(2)]], float device* entryPointParams_x_1 [[buffer(3)]], float device* entryPointParams_x_lost_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_0)->entryPointParams_lost_0 = entryPointParams_lost_1;
    (&kernelContext_0)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_0)->entryPointParams_x_lost_0 = entryPointParams_x_lost_1;
    uint i_1 = group_0.x * 128U + thread_0.x;
    for(;;)
    {
        if(i_1 < ((&kernelContext_0)->entryPointParams_0->a_1.outer_0 * (&kernelContext_0)->entryPointParams_0->a_1.chunks_0 * (&kernelContext_0)->entryPointParams_0->a_1.cols_0))
        {
        }
        else
        {
            break;
        }
        uint _S7 = i_1 % (&kernelContext_0)->entryPointParams_0->a_1.cols_0;
        uint _S8 = i_1 / (&kernelContext_0)->entryPointParams_0->a_1.cols_0;
        uint chunk_1 = _S8 % (&kernelContext_0)->entryPointParams_0->a_1.chunks_0;
        uint _S9 = i_1 / (&kernelContext_0)->entryPointParams_0->a_1.cols_0;
        uint _S10 = _S9 / (&kernelContext_0)->entryPointParams_0->a_1.chunks_0;
        uint _S11 = _S10 * (&kernelContext_0)->entryPointParams_0->a_1.matrix_stride_0;
        uint _S12 = min((&kernelContext_0)->entryPointParams_0->a_1.rows_0, chunk_1 * (&kernelContext_0)->entryPointParams_0->a_1.chunk_0);
        uint _S13 = min((&kernelContext_0)->entryPointParams_0->a_1.rows_0, _S12 + (&kernelContext_0)->entryPointParams_0->a_1.chunk_0);
        Pair_0 p_2 = pairOf_0(0.0f, 0.0f);
        uint r_0 = _S12;
        for(;;)
        {
            if(r_0 < _S13)
            {
            }
            else
            {
                break;
            }
            uint at_0 = _S11 + _S7 + uint(int(r_0) * (&kernelContext_0)->entryPointParams_0->a_1.row_stride_0);
            float rest_0;
            if(((&kernelContext_0)->entryPointParams_0->a_1.x_lost_at_0) != 4294967295U)
            {
                rest_0 = (&kernelContext_0)->entryPointParams_x_lost_0[(&kernelContext_0)->entryPointParams_0->a_1.x_lost_at_0 + at_0];
            }
            else
            {
                rest_0 = 0.0f;
            }
            Pair_0 _S14 = pairOf_0((&kernelContext_0)->entryPointParams_x_0[(&kernelContext_0)->entryPointParams_0->a_1.x_at_0 + at_0], rest_0);
            thread Pair_0 _S15 = p_2;
            thread Pair_0 _S16 = _S14;
            Pair_0 _S17 = joined_0(&_S15, &_S16);
            uint _S18 = r_0 + 1U;
            p_2 = _S17;
            r_0 = _S18;
        }
        Columns_0 _S19 = (&kernelContext_0)->entryPointParams_0->a_1;
        Columns_0 _S20 = (&kernelContext_0)->entryPointParams_0->a_1;
        Columns_0 _S21 = (&kernelContext_0)->entryPointParams_0->a_1;
        thread Pair_0 _S22 = p_2;
        keep_0((&kernelContext_0)->entryPointParams_out_0, _S19.out_at_1, (&kernelContext_0)->entryPointParams_lost_0, _S20.lost_at_1, i_1, &_S22, _S21.divisor_1);
        i_1 = i_1 + (&kernelContext_0)->entryPointParams_0->a_1.groups_0 * 128U;
    }
    return;
}

