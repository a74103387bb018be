#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
uint first_0(uint at_0, int batch_step_0, int head_step_0, int row_step_0, uint batch_0, uint head_0, uint row_0)
{
    return uint(int(at_0) + int(batch_0) * batch_step_0 + int(head_0) * head_step_0 + int(row_0) * row_step_0);
}

struct Delta_0
{
    uint groups_0;
    uint delta_at_0;
    uint dy_at_0;
    uint y_at_0;
    uint sheet_at_0;
    uint batches_0;
};

struct EntryPointParams_0
{
    Delta_0 a_0;
};

struct Sheet_0
{
    int q_batch_0;
    int q_head_0;
    int q_row_0;
    int k_batch_0;
    int k_head_0;
    int k_row_0;
    int v_batch_0;
    int v_head_0;
    int v_row_0;
    int out_batch_0;
    int out_head_0;
    int out_row_0;
    int dy_batch_0;
    int dy_head_0;
    int dy_row_0;
    int dq_batch_0;
    int dq_head_0;
    int dq_row_0;
    int dk_batch_0;
    int dk_head_0;
    int dk_row_0;
    int dv_batch_0;
    int dv_head_0;
    int dv_row_0;
    uint mask_kind_0;
    int mask_batch_0;
    int mask_head_0;
    int mask_query_0;
    int mask_key_0;
    uint sequences_0;
    uint heads_0;
    uint group_0;
    uint queries_0;
    uint keys_0;
    uint width_0;
    int left_0;
    int right_0;
    uint step_0;
    float scale_0;
    uint query_tiles_0;
    uint key_tiles_0;
    uint parts_0;
    uint part_keys_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_delta_0;
    float device* entryPointParams_dy_0;
    float device* entryPointParams_y_0;
    Sheet_0 device* entryPointParams_sheet_0;
    array<float, int(128)> threadgroup* parts_1;
};

[[kernel]] void attention_backward_f32_delta(uint3 group_1 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_delta_1 [[buffer(1)]], float device* entryPointParams_dy_1 [[buffer(2)]], float device* entryPointParams_y_1 [[buffer(3)]], Sheet_0 device* entryPointParams_sheet_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_0;
    (&kernelContext_0)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_0)->entryPointParams_delta_0 = entryPointParams_delta_1;
    (&kernelContext_0)->entryPointParams_dy_0 = entryPointParams_dy_1;
    (&kernelContext_0)->entryPointParams_y_0 = entryPointParams_y_1;
    (&kernelContext_0)->entryPointParams_sheet_0 = entryPointParams_sheet_1;
    threadgroup array<float, int(128)> parts_2;
    (&kernelContext_0)->parts_1 = &parts_2;
    Sheet_0 device* _S1 = entryPointParams_sheet_1+entryPointParams_1->a_0.sheet_at_0;
    uint _S2 = thread_0.x;
    uint _S3 = _S1->heads_0;
    uint _S4 = _S1->queries_0;
    uint _S5 = entryPointParams_1->a_0.batches_0 * _S1->heads_0 * _S1->queries_0;
    uint row0_0 = group_1.x * 8U;
    for(;;)
    {
        if(row0_0 < _S5)
        {
        }
        else
        {
            break;
        }
        uint row_1 = row0_0 + _S2 / 16U;
        uint _S6 = row_1 / _S4;
        uint head_1 = _S6 % _S3;
        uint _S7 = row_1 / _S4;
        uint batch_1 = _S7 / _S3;
        uint query_0 = row_1 % _S4;
        bool _S8 = row_1 < _S5;
        uint half_0;
        float sum_0;
        if(_S8)
        {
            uint _S9 = first_0(entryPointParams_1->a_0.dy_at_0, _S1->dy_batch_0, _S1->dy_head_0, _S1->dy_row_0, batch_1, head_1, query_0);
            uint _S10 = first_0(entryPointParams_1->a_0.y_at_0, _S1->out_batch_0, _S1->out_head_0, _S1->out_row_0, batch_1, head_1, query_0);
            uint _S11 = _S2 % 16U;
            sum_0 = 0.0f;
            half_0 = _S11;
            for(;;)
            {
                if(half_0 < (_S1->width_0))
                {
                }
                else
                {
                    break;
                }
                float _S12 = fma((&kernelContext_0)->entryPointParams_dy_0[_S9 + half_0], (&kernelContext_0)->entryPointParams_y_0[_S10 + half_0], sum_0);
                uint c_0 = half_0 + 16U;
                sum_0 = _S12;
                half_0 = c_0;
            }
        }
        else
        {
            sum_0 = 0.0f;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        (*(&kernelContext_0)->parts_1)[_S2] = sum_0;
        half_0 = 8U;
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
            if((_S2 % 16U) < half_0)
            {
                (*(&kernelContext_0)->parts_1)[_S2] = (*(&kernelContext_0)->parts_1)[_S2] + (*(&kernelContext_0)->parts_1)[_S2 + half_0];
            }
            half_0 = half_0 / 2U;
        }
        bool _S13;
        if(_S8)
        {
            _S13 = (_S2 % 16U) == 0U;
        }
        else
        {
            _S13 = false;
        }
        if(_S13)
        {
            *((&kernelContext_0)->entryPointParams_delta_0+(entryPointParams_1->a_0.delta_at_0 + row_1)) = (*(&kernelContext_0)->parts_1)[_S2];
        }
        row0_0 = row0_0 + entryPointParams_1->a_0.groups_0 * 8U;
    }
    return;
}

