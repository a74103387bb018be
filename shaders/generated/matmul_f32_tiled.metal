#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
void listed_0(const array<array<float, int(8)>, int(8)> thread* sum_0, array<float, int(64)> thread* list_0)
{
    (*list_0)[int(0)] = (*sum_0)[int(0)][int(0)];
    (*list_0)[int(1)] = (*sum_0)[int(0)][int(1)];
    (*list_0)[int(2)] = (*sum_0)[int(0)][int(2)];
    (*list_0)[int(3)] = (*sum_0)[int(0)][int(3)];
    (*list_0)[int(4)] = (*sum_0)[int(0)][int(4)];
    (*list_0)[int(5)] = (*sum_0)[int(0)][int(5)];
    (*list_0)[int(6)] = (*sum_0)[int(0)][int(6)];
    (*list_0)[int(7)] = (*sum_0)[int(0)][int(7)];
    (*list_0)[int(8)] = (*sum_0)[int(1)][int(0)];
    (*list_0)[int(9)] = (*sum_0)[int(1)][int(1)];
    (*list_0)[int(10)] = (*sum_0)[int(1)][int(2)];
    (*list_0)[int(11)] = (*sum_0)[int(1)][int(3)];
    (*list_0)[int(12)] = (*sum_0)[int(1)][int(4)];
    (*list_0)[int(13)] = (*sum_0)[int(1)][int(5)];
    (*list_0)[int(14)] = (*sum_0)[int(1)][int(6)];
    (*list_0)[int(15)] = (*sum_0)[int(1)][int(7)];
    (*list_0)[int(16)] = (*sum_0)[int(2)][int(0)];
    (*list_0)[int(17)] = (*sum_0)[int(2)][int(1)];
    (*list_0)[int(18)] = (*sum_0)[int(2)][int(2)];
    (*list_0)[int(19)] = (*sum_0)[int(2)][int(3)];
    (*list_0)[int(20)] = (*sum_0)[int(2)][int(4)];
    (*list_0)[int(21)] = (*sum_0)[int(2)][int(5)];
    (*list_0)[int(22)] = (*sum_0)[int(2)][int(6)];
    (*list_0)[int(23)] = (*sum_0)[int(2)][int(7)];
    (*list_0)[int(24)] = (*sum_0)[int(3)][int(0)];
    (*list_0)[int(25)] = (*sum_0)[int(3)][int(1)];
    (*list_0)[int(26)] = (*sum_0)[int(3)][int(2)];
    (*list_0)[int(27)] = (*sum_0)[int(3)][int(3)];
    (*list_0)[int(28)] = (*sum_0)[int(3)][int(4)];
    (*list_0)[int(29)] = (*sum_0)[int(3)][int(5)];
    (*list_0)[int(30)] = (*sum_0)[int(3)][int(6)];
    (*list_0)[int(31)] = (*sum_0)[int(3)][int(7)];
    (*list_0)[int(32)] = (*sum_0)[int(4)][int(0)];
    (*list_0)[int(33)] = (*sum_0)[int(4)][int(1)];
    (*list_0)[int(34)] = (*sum_0)[int(4)][int(2)];
    (*list_0)[int(35)] = (*sum_0)[int(4)][int(3)];
    (*list_0)[int(36)] = (*sum_0)[int(4)][int(4)];
    (*list_0)[int(37)] = (*sum_0)[int(4)][int(5)];
    (*list_0)[int(38)] = (*sum_0)[int(4)][int(6)];
    (*list_0)[int(39)] = (*sum_0)[int(4)][int(7)];
    (*list_0)[int(40)] = (*sum_0)[int(5)][int(0)];
    (*list_0)[int(41)] = (*sum_0)[int(5)][int(1)];
    (*list_0)[int(42)] = (*sum_0)[int(5)][int(2)];
    (*list_0)[int(43)] = (*sum_0)[int(5)][int(3)];
    (*list_0)[int(44)] = (*sum_0)[int(5)][int(4)];
    (*list_0)[int(45)] = (*sum_0)[int(5)][int(5)];
    (*list_0)[int(46)] = (*sum_0)[int(5)][int(6)];
    (*list_0)[int(47)] = (*sum_0)[int(5)][int(7)];
    (*list_0)[int(48)] = (*sum_0)[int(6)][int(0)];
    (*list_0)[int(49)] = (*sum_0)[int(6)][int(1)];
    (*list_0)[int(50)] = (*sum_0)[int(6)][int(2)];
    (*list_0)[int(51)] = (*sum_0)[int(6)][int(3)];
    (*list_0)[int(52)] = (*sum_0)[int(6)][int(4)];
    (*list_0)[int(53)] = (*sum_0)[int(6)][int(5)];
    (*list_0)[int(54)] = (*sum_0)[int(6)][int(6)];
    (*list_0)[int(55)] = (*sum_0)[int(6)][int(7)];
    (*list_0)[int(56)] = (*sum_0)[int(7)][int(0)];
    (*list_0)[int(57)] = (*sum_0)[int(7)][int(1)];
    (*list_0)[int(58)] = (*sum_0)[int(7)][int(2)];
    (*list_0)[int(59)] = (*sum_0)[int(7)][int(3)];
    (*list_0)[int(60)] = (*sum_0)[int(7)][int(4)];
    (*list_0)[int(61)] = (*sum_0)[int(7)][int(5)];
    (*list_0)[int(62)] = (*sum_0)[int(7)][int(6)];
    (*list_0)[int(63)] = (*sum_0)[int(7)][int(7)];
    return;
}

struct Operand_0
{
    uint at_0;
    int next_0;
    int along_0;
    uint count_0;
};

struct Product_0
{
    uint groups_0;
    uint c_at_0;
    uint a_at_0;
    uint b_at_0;
    uint bias_at_0;
    uint m_0;
    uint n_0;
    uint k_0;
    int a_row_0;
    int a_col_0;
    int b_row_0;
    int b_col_0;
    uint ldc_0;
    float alpha_0;
    float beta_0;
    uint epilogue_0;
    uint count_1;
    array<uint, int(3)> sizes_0;
    array<int, int(3)> batch_a_0;
    array<int, int(3)> batch_b_0;
    array<int, int(3)> batch_c_0;
    uint turned_0;
    uint parts_0;
    uint part_0;
};

struct EntryPointParams_0
{
    Product_0 p_0;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    float device* entryPointParams_c_0;
    float device* entryPointParams_a_0;
    float device* entryPointParams_b_0;
    float device* entryPointParams_bias_0;
    array<float, int(1056)> threadgroup* tile_a_0;
    array<float, int(1056)> threadgroup* tile_b_0;
};

uint2 tileSource_0(uint t_0, uint width_0, bool along_1)
{
    uint2 _S1;
    if(along_1)
    {
        _S1 = uint2(t_0 / 8U, t_0 % 8U);
    }
    else
    {
        uint _S2 = t_0 % width_0;
        uint _S3 = t_0 / width_0;
        _S1 = uint2(_S2, _S3);
    }
    return _S1;
}

float tileElement_0(float device* x_0, const Operand_0 thread* o_0, uint2 place_0, uint k0_0, uint k_1)
{
    uint _S4 = place_0.x;
    bool _S5;
    if(_S4 < (o_0->count_0))
    {
        _S5 = (k0_0 + place_0.y) < k_1;
    }
    else
    {
        _S5 = false;
    }
    float v_0;
    if(_S5)
    {
        v_0 = x_0[o_0->at_0 + uint(int(_S4) * o_0->next_0 + int(k0_0 + place_0.y) * o_0->along_0)];
    }
    else
    {
        v_0 = 0.0f;
    }
    return v_0;
}

uint tilePlace_0(uint i_0, uint t_1)
{
    return i_0 / 4U * 64U + t_1 * 4U + i_0 % 4U;
}

void tileSums_0(array<array<float, int(8)>, int(8)> thread* sum_1, float device* a_0, const Operand_0 thread* x_1, float device* b_0, const Operand_0 thread* y_0, uint k_2, uint t_2, KernelContext_0 thread* kernelContext_0)
{
    (*sum_1)[int(0)][int(0)] = 0.0f;
    (*sum_1)[int(0)][int(1)] = 0.0f;
    (*sum_1)[int(0)][int(2)] = 0.0f;
    (*sum_1)[int(0)][int(3)] = 0.0f;
    (*sum_1)[int(0)][int(4)] = 0.0f;
    (*sum_1)[int(0)][int(5)] = 0.0f;
    (*sum_1)[int(0)][int(6)] = 0.0f;
    (*sum_1)[int(0)][int(7)] = 0.0f;
    (*sum_1)[int(1)][int(0)] = 0.0f;
    (*sum_1)[int(1)][int(1)] = 0.0f;
    (*sum_1)[int(1)][int(2)] = 0.0f;
    (*sum_1)[int(1)][int(3)] = 0.0f;
    (*sum_1)[int(1)][int(4)] = 0.0f;
    (*sum_1)[int(1)][int(5)] = 0.0f;
    (*sum_1)[int(1)][int(6)] = 0.0f;
    (*sum_1)[int(1)][int(7)] = 0.0f;
    (*sum_1)[int(2)][int(0)] = 0.0f;
    (*sum_1)[int(2)][int(1)] = 0.0f;
    (*sum_1)[int(2)][int(2)] = 0.0f;
    (*sum_1)[int(2)][int(3)] = 0.0f;
    (*sum_1)[int(2)][int(4)] = 0.0f;
    (*sum_1)[int(2)][int(5)] = 0.0f;
    (*sum_1)[int(2)][int(6)] = 0.0f;
    (*sum_1)[int(2)][int(7)] = 0.0f;
    (*sum_1)[int(3)][int(0)] = 0.0f;
    (*sum_1)[int(3)][int(1)] = 0.0f;
    (*sum_1)[int(3)][int(2)] = 0.0f;
    (*sum_1)[int(3)][int(3)] = 0.0f;
    (*sum_1)[int(3)][int(4)] = 0.0f;
    (*sum_1)[int(3)][int(5)] = 0.0f;
    (*sum_1)[int(3)][int(6)] = 0.0f;
    (*sum_1)[int(3)][int(7)] = 0.0f;
    (*sum_1)[int(4)][int(0)] = 0.0f;
    (*sum_1)[int(4)][int(1)] = 0.0f;
    (*sum_1)[int(4)][int(2)] = 0.0f;
    (*sum_1)[int(4)][int(3)] = 0.0f;
    (*sum_1)[int(4)][int(4)] = 0.0f;
    (*sum_1)[int(4)][int(5)] = 0.0f;
    (*sum_1)[int(4)][int(6)] = 0.0f;
    (*sum_1)[int(4)][int(7)] = 0.0f;
    (*sum_1)[int(5)][int(0)] = 0.0f;
    (*sum_1)[int(5)][int(1)] = 0.0f;
    (*sum_1)[int(5)][int(2)] = 0.0f;
    (*sum_1)[int(5)][int(3)] = 0.0f;
    (*sum_1)[int(5)][int(4)] = 0.0f;
    (*sum_1)[int(5)][int(5)] = 0.0f;
    (*sum_1)[int(5)][int(6)] = 0.0f;
    (*sum_1)[int(5)][int(7)] = 0.0f;
    (*sum_1)[int(6)][int(0)] = 0.0f;
    (*sum_1)[int(6)][int(1)] = 0.0f;
    (*sum_1)[int(6)][int(2)] = 0.0f;
    (*sum_1)[int(6)][int(3)] = 0.0f;
    (*sum_1)[int(6)][int(4)] = 0.0f;
    (*sum_1)[int(6)][int(5)] = 0.0f;
    (*sum_1)[int(6)][int(6)] = 0.0f;
    (*sum_1)[int(6)][int(7)] = 0.0f;
    (*sum_1)[int(7)][int(0)] = 0.0f;
    (*sum_1)[int(7)][int(1)] = 0.0f;
    (*sum_1)[int(7)][int(2)] = 0.0f;
    (*sum_1)[int(7)][int(3)] = 0.0f;
    (*sum_1)[int(7)][int(4)] = 0.0f;
    (*sum_1)[int(7)][int(5)] = 0.0f;
    (*sum_1)[int(7)][int(6)] = 0.0f;
    (*sum_1)[int(7)][int(7)] = 0.0f;
    uint k0_1 = 0U;
    for(;;)
    {
        if(k0_1 < k_2)
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        bool _S6 = (x_1->along_0) == int(1);
        uint2 to_0 = tileSource_0(t_2, 128U, _S6);
        float _S7 = tileElement_0(a_0, x_1, to_0, k0_1, k_2);
        (*kernelContext_0->tile_a_0)[to_0.y * 132U + to_0.x] = _S7;
        bool _S8 = (y_0->along_0) == int(1);
        uint2 to_1 = tileSource_0(t_2, 128U, _S8);
        float _S9 = tileElement_0(b_0, y_0, to_1, k0_1, k_2);
        (*kernelContext_0->tile_b_0)[to_1.y * 132U + to_1.x] = _S9;
        uint _S10 = 256U + t_2;
        uint2 to_2 = tileSource_0(_S10, 128U, _S6);
        float _S11 = tileElement_0(a_0, x_1, to_2, k0_1, k_2);
        (*kernelContext_0->tile_a_0)[to_2.y * 132U + to_2.x] = _S11;
        uint2 to_3 = tileSource_0(_S10, 128U, _S8);
        float _S12 = tileElement_0(b_0, y_0, to_3, k0_1, k_2);
        (*kernelContext_0->tile_b_0)[to_3.y * 132U + to_3.x] = _S12;
        uint _S13 = 512U + t_2;
        uint2 to_4 = tileSource_0(_S13, 128U, _S6);
        float _S14 = tileElement_0(a_0, x_1, to_4, k0_1, k_2);
        (*kernelContext_0->tile_a_0)[to_4.y * 132U + to_4.x] = _S14;
        uint2 to_5 = tileSource_0(_S13, 128U, _S8);
        float _S15 = tileElement_0(b_0, y_0, to_5, k0_1, k_2);
        (*kernelContext_0->tile_b_0)[to_5.y * 132U + to_5.x] = _S15;
        uint _S16 = 768U + t_2;
        uint2 to_6 = tileSource_0(_S16, 128U, _S6);
        float _S17 = tileElement_0(a_0, x_1, to_6, k0_1, k_2);
        (*kernelContext_0->tile_a_0)[to_6.y * 132U + to_6.x] = _S17;
        uint2 to_7 = tileSource_0(_S16, 128U, _S8);
        float _S18 = tileElement_0(b_0, y_0, to_7, k0_1, k_2);
        (*kernelContext_0->tile_b_0)[to_7.y * 132U + to_7.x] = _S18;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S19 = min(8U, k_2 - k0_1);
        uint d_0 = 0U;
        for(;;)
        {
            if(d_0 < _S19)
            {
            }
            else
            {
                break;
            }
            thread array<float, int(8)> u_0;
            thread array<float, int(8)> v_1;
            uint _S20 = d_0 * 132U;
            float _S21 = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(0U, t_2 / 16U)];
            u_0[int(0)] = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(0U, t_2 / 16U)];
            float _S22 = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(1U, t_2 / 16U)];
            u_0[int(1)] = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(1U, t_2 / 16U)];
            float _S23 = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(2U, t_2 / 16U)];
            u_0[int(2)] = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(2U, t_2 / 16U)];
            float _S24 = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(3U, t_2 / 16U)];
            u_0[int(3)] = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(3U, t_2 / 16U)];
            float _S25 = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(4U, t_2 / 16U)];
            u_0[int(4)] = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(4U, t_2 / 16U)];
            float _S26 = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(5U, t_2 / 16U)];
            u_0[int(5)] = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(5U, t_2 / 16U)];
            float _S27 = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(6U, t_2 / 16U)];
            u_0[int(6)] = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(6U, t_2 / 16U)];
            float _S28 = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(7U, t_2 / 16U)];
            u_0[int(7)] = (*kernelContext_0->tile_a_0)[_S20 + tilePlace_0(7U, t_2 / 16U)];
            uint _S29 = t_2 % 16U;
            float _S30 = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(0U, _S29)];
            v_1[int(0)] = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(0U, _S29)];
            float _S31 = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(1U, _S29)];
            v_1[int(1)] = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(1U, _S29)];
            float _S32 = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(2U, _S29)];
            v_1[int(2)] = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(2U, _S29)];
            float _S33 = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(3U, _S29)];
            v_1[int(3)] = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(3U, _S29)];
            float _S34 = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(4U, _S29)];
            v_1[int(4)] = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(4U, _S29)];
            float _S35 = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(5U, _S29)];
            v_1[int(5)] = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(5U, _S29)];
            float _S36 = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(6U, _S29)];
            v_1[int(6)] = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(6U, _S29)];
            float _S37 = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(7U, _S29)];
            v_1[int(7)] = (*kernelContext_0->tile_b_0)[_S20 + tilePlace_0(7U, _S29)];
            (*sum_1)[int(0)][int(0)] = fma(_S21, _S30, (*sum_1)[int(0)][int(0)]);
            (*sum_1)[int(0)][int(1)] = fma(_S21, _S31, (*sum_1)[int(0)][int(1)]);
            (*sum_1)[int(0)][int(2)] = fma(_S21, _S32, (*sum_1)[int(0)][int(2)]);
            (*sum_1)[int(0)][int(3)] = fma(_S21, _S33, (*sum_1)[int(0)][int(3)]);
            (*sum_1)[int(0)][int(4)] = fma(_S21, _S34, (*sum_1)[int(0)][int(4)]);
            (*sum_1)[int(0)][int(5)] = fma(_S21, _S35, (*sum_1)[int(0)][int(5)]);
            (*sum_1)[int(0)][int(6)] = fma(_S21, _S36, (*sum_1)[int(0)][int(6)]);
            (*sum_1)[int(0)][int(7)] = fma(_S21, _S37, (*sum_1)[int(0)][int(7)]);
            (*sum_1)[int(1)][int(0)] = fma(_S22, _S30, (*sum_1)[int(1)][int(0)]);
            (*sum_1)[int(1)][int(1)] = fma(_S22, _S31, (*sum_1)[int(1)][int(1)]);
            (*sum_1)[int(1)][int(2)] = fma(_S22, _S32, (*sum_1)[int(1)][int(2)]);
            (*sum_1)[int(1)][int(3)] = fma(_S22, _S33, (*sum_1)[int(1)][int(3)]);
            (*sum_1)[int(1)][int(4)] = fma(_S22, _S34, (*sum_1)[int(1)][int(4)]);
            (*sum_1)[int(1)][int(5)] = fma(_S22, _S35, (*sum_1)[int(1)][int(5)]);
            (*sum_1)[int(1)][int(6)] = fma(_S22, _S36, (*sum_1)[int(1)][int(6)]);
            (*sum_1)[int(1)][int(7)] = fma(_S22, _S37, (*sum_1)[int(1)][int(7)]);
            (*sum_1)[int(2)][int(0)] = fma(_S23, _S30, (*sum_1)[int(2)][int(0)]);
            (*sum_1)[int(2)][int(1)] = fma(_S23, _S31, (*sum_1)[int(2)][int(1)]);
            (*sum_1)[int(2)][int(2)] = fma(_S23, _S32, (*sum_1)[int(2)][int(2)]);
            (*sum_1)[int(2)][int(3)] = fma(_S23, _S33, (*sum_1)[int(2)][int(3)]);
            (*sum_1)[int(2)][int(4)] = fma(_S23, _S34, (*sum_1)[int(2)][int(4)]);
            (*sum_1)[int(2)][int(5)] = fma(_S23, _S35, (*sum_1)[int(2)][int(5)]);
            (*sum_1)[int(2)][int(6)] = fma(_S23, _S36, (*sum_1)[int(2)][int(6)]);
            (*sum_1)[int(2)][int(7)] = fma(_S23, _S37, (*sum_1)[int(2)][int(7)]);
            (*sum_1)[int(3)][int(0)] = fma(_S24, _S30, (*sum_1)[int(3)][int(0)]);
            (*sum_1)[int(3)][int(1)] = fma(_S24, _S31, (*sum_1)[int(3)][int(1)]);
            (*sum_1)[int(3)][int(2)] = fma(_S24, _S32, (*sum_1)[int(3)][int(2)]);
            (*sum_1)[int(3)][int(3)] = fma(_S24, _S33, (*sum_1)[int(3)][int(3)]);
            (*sum_1)[int(3)][int(4)] = fma(_S24, _S34, (*sum_1)[int(3)][int(4)]);
            (*sum_1)[int(3)][int(5)] = fma(_S24, _S35, (*sum_1)[int(3)][int(5)]);
            (*sum_1)[int(3)][int(6)] = fma(_S24, _S36, (*sum_1)[int(3)][int(6)]);
            (*sum_1)[int(3)][int(7)] = fma(_S24, _S37, (*sum_1)[int(3)][int(7)]);
            (*sum_1)[int(4)][int(0)] = fma(_S25, _S30, (*sum_1)[int(4)][int(0)]);
            (*sum_1)[int(4)][int(1)] = fma(_S25, _S31, (*sum_1)[int(4)][int(1)]);
            (*sum_1)[int(4)][int(2)] = fma(_S25, _S32, (*sum_1)[int(4)][int(2)]);
            (*sum_1)[int(4)][int(3)] = fma(_S25, _S33, (*sum_1)[int(4)][int(3)]);
            (*sum_1)[int(4)][int(4)] = fma(_S25, _S34, (*sum_1)[int(4)][int(4)]);
            (*sum_1)[int(4)][int(5)] = fma(_S25, _S35, (*sum_1)[int(4)][int(5)]);
            (*sum_1)[int(4)][int(6)] = fma(_S25, _S36, (*sum_1)[int(4)][int(6)]);
            (*sum_1)[int(4)][int(7)] = fma(_S25, _S37, (*sum_1)[int(4)][int(7)]);
            (*sum_1)[int(5)][int(0)] = fma(_S26, _S30, (*sum_1)[int(5)][int(0)]);
            (*sum_1)[int(5)][int(1)] = fma(_S26, _S31, (*sum_1)[int(5)][int(1)]);
            (*sum_1)[int(5)][int(2)] = fma(_S26, _S32, (*sum_1)[int(5)][int(2)]);
            (*sum_1)[int(5)][int(3)] = fma(_S26, _S33, (*sum_1)[int(5)][int(3)]);
            (*sum_1)[int(5)][int(4)] = fma(_S26, _S34, (*sum_1)[int(5)][int(4)]);
            (*sum_1)[int(5)][int(5)] = fma(_S26, _S35, (*sum_1)[int(5)][int(5)]);
            (*sum_1)[int(5)][int(6)] = fma(_S26, _S36, (*sum_1)[int(5)][int(6)]);
            (*sum_1)[int(5)][int(7)] = fma(_S26, _S37, (*sum_1)[int(5)][int(7)]);
            (*sum_1)[int(6)][int(0)] = fma(_S27, _S30, (*sum_1)[int(6)][int(0)]);
            (*sum_1)[int(6)][int(1)] = fma(_S27, _S31, (*sum_1)[int(6)][int(1)]);
            (*sum_1)[int(6)][int(2)] = fma(_S27, _S32, (*sum_1)[int(6)][int(2)]);
            (*sum_1)[int(6)][int(3)] = fma(_S27, _S33, (*sum_1)[int(6)][int(3)]);
            (*sum_1)[int(6)][int(4)] = fma(_S27, _S34, (*sum_1)[int(6)][int(4)]);
            (*sum_1)[int(6)][int(5)] = fma(_S27, _S35, (*sum_1)[int(6)][int(5)]);
            (*sum_1)[int(6)][int(6)] = fma(_S27, _S36, (*sum_1)[int(6)][int(6)]);
            (*sum_1)[int(6)][int(7)] = fma(_S27, _S37, (*sum_1)[int(6)][int(7)]);
            (*sum_1)[int(7)][int(0)] = fma(_S28, _S30, (*sum_1)[int(7)][int(0)]);
            (*sum_1)[int(7)][int(1)] = fma(_S28, _S31, (*sum_1)[int(7)][int(1)]);
            (*sum_1)[int(7)][int(2)] = fma(_S28, _S32, (*sum_1)[int(7)][int(2)]);
            (*sum_1)[int(7)][int(3)] = fma(_S28, _S33, (*sum_1)[int(7)][int(3)]);
            (*sum_1)[int(7)][int(4)] = fma(_S28, _S34, (*sum_1)[int(7)][int(4)]);
            (*sum_1)[int(7)][int(5)] = fma(_S28, _S35, (*sum_1)[int(7)][int(5)]);
            (*sum_1)[int(7)][int(6)] = fma(_S28, _S36, (*sum_1)[int(7)][int(6)]);
            (*sum_1)[int(7)][int(7)] = fma(_S28, _S37, (*sum_1)[int(7)][int(7)]);
            d_0 = d_0 + 1U;
        }
        k0_1 = k0_1 + 8U;
    }
    return;
}

struct Place_0
{
    uint c_0;
    uint a_1;
    uint b_1;
    uint k_3;
};

Place_0 Place_x24init_0(uint c_1, uint a_2, uint b_2, uint k_4)
{
    thread Place_0 _S38;
    (&_S38)->c_0 = c_1;
    (&_S38)->a_1 = a_2;
    (&_S38)->b_1 = b_2;
    (&_S38)->k_3 = k_4;
    return _S38;
}

Operand_0 Operand_x24init_0(uint at_1, int next_1, int along_2, uint count_2)
{
    thread Operand_0 _S39;
    (&_S39)->at_0 = at_1;
    (&_S39)->next_0 = next_1;
    (&_S39)->along_0 = along_2;
    (&_S39)->count_0 = count_2;
    return _S39;
}

float lostOf_0(float a_3, float b_3, float p_1)
{
    float a_high_0 = (as_type<float>(((as_type<uint>((a_3))) & 4294963200U)));
    float b_high_0 = (as_type<float>(((as_type<uint>((b_3))) & 4294963200U)));
    float a_low_0 = a_3 - a_high_0;
    float b_low_0 = b_3 - b_high_0;
    return a_high_0 * b_high_0 - p_1 + a_high_0 * b_low_0 + a_low_0 * b_high_0 + a_low_0 * b_low_0;
}

float expOfRest_0(float x_2, float n_1)
{
    float r_0 = fma(n_1, 0.00021219444170129f, fma(n_1, -0.693359375f, x_2));
    return fma(r_0 * r_0, fma(fma(fma(fma(0.00138390657957643f, r_0, 0.00836919713765383f), r_0, 0.04166810214519501f), r_0, 0.16666516661643982f), r_0, 0.49999994039535522f), r_0) + 1.0f;
}

bool isNaN_0(float x_3)
{
    return ((as_type<uint>((x_3))) & 2147483647U) > 2139095040U;
}

float expOf_0(float x_4)
{
    float limited_0;
    if(x_4 > 89.0f)
    {
        limited_0 = 89.0f;
    }
    else
    {
        if(x_4 < -104.0f)
        {
            limited_0 = -104.0f;
        }
        else
        {
            limited_0 = x_4;
        }
    }
    float rounded_0 = fma(limited_0, 1.4426950216293335f, 1.2583166e+07f);
    uint bits_0 = (as_type<uint>((rounded_0)));
    uint half_0 = bits_0 >> 1U;
    float e_0 = expOfRest_0(limited_0, rounded_0 - 1.2583166e+07f) * (as_type<float>((half_0 << 23U))) * (as_type<float>(((bits_0 - half_0) << 23U)));
    if(isNaN_0(x_4))
    {
        limited_0 = x_4;
    }
    else
    {
        limited_0 = e_0;
    }
    return limited_0;
}

float bell_0(float a_4)
{
    float limited_1;
    if(a_4 > 16.0f)
    {
        limited_1 = 16.0f;
    }
    else
    {
        limited_1 = a_4;
    }
    float square_0 = limited_1 * limited_1;
    float e_1 = expOf_0(-0.5f * square_0);
    return fma(e_1, -0.5f * lostOf_0(limited_1, limited_1, square_0), e_1);
}

float mills_0(float a_5)
{
    float inverse_0 = 1.0f / (a_5 + 5.0f);
    float t_3 = fma(a_5 * inverse_0, 2.0f, -1.0f);
    return inverse_0 * fma(fma(fma(fma(fma(fma(fma(fma(fma(0.00040502843330614f, t_3, -0.0009714913321659f), t_3, -0.00296137784607708f), t_3, 0.020876569673419f), t_3, -0.06911593675613403f), t_3, 0.16500671207904816f), t_3, -0.31353393197059631f), t_3, 0.49530637264251709f), t_3, -0.6653825044631958f), t_3, 0.76919305324554443f);
}

float normalCdf_0(float x_5)
{
    float a_6 = abs(x_5);
    float _S40 = bell_0(a_6);
    float _S41;
    if(a_6 > 16.0f)
    {
        _S41 = 16.0f;
    }
    else
    {
        _S41 = a_6;
    }
    float tail_0 = _S40 * mills_0(_S41);
    if(x_5 < 0.0f)
    {
        _S41 = tail_0;
    }
    else
    {
        _S41 = 1.0f - tail_0;
    }
    return _S41;
}

float geluErf_0(float x_6)
{
    float _S42;
    if(x_6 < -16.0f)
    {
        _S42 = 0.0f;
    }
    else
    {
        if(x_6 > 16.0f)
        {
            _S42 = x_6;
        }
        else
        {
            _S42 = x_6 * normalCdf_0(x_6);
        }
    }
    return _S42;
}

float logistic_0(float x_7)
{
    float e_2 = expOf_0(- abs(x_7));
    float _S43;
    if(x_7 < 0.0f)
    {
        _S43 = e_2;
    }
    else
    {
        _S43 = 1.0f;
    }
    return _S43 / (1.0f + e_2);
}

float siluOf_0(float x_8)
{
    float _S44;
    if(x_8 < -100.0f)
    {
        _S44 = 0.0f;
    }
    else
    {
        _S44 = x_8 * logistic_0(x_8);
    }
    return _S44;
}

float closed_0(uint epilogue_1, float v_2)
{
    switch(epilogue_1)
    {
    case 1U:
        {
            float _S45;
            if(v_2 < 0.0f)
            {
                _S45 = 0.0f;
            }
            else
            {
                _S45 = v_2;
            }
            return _S45;
        }
    case 2U:
        {
            return geluErf_0(v_2);
        }
    case 3U:
        {
            return siluOf_0(v_2);
        }
    default:
        {
            return v_2;
        }
    }
}

void close_0(float device* c_2, uint c_at_1, uint ldc_1, float device* bias_0, uint bias_at_1, uint turned_1, float alpha_1, float beta_1, uint epilogue_2, uint row_0, uint col_0, float sum_2)
{
    bool _S46 = turned_1 != 0U;
    uint _S47;
    if(_S46)
    {
        _S47 = col_0 * ldc_1 + row_0;
    }
    else
    {
        _S47 = row_0 * ldc_1 + col_0;
    }
    uint place_1 = c_at_1 + _S47;
    float v_3 = alpha_1 * sum_2;
    float v_4;
    if(beta_1 != 0.0f)
    {
        v_4 = fma(beta_1, *(c_2+place_1), v_3);
    }
    else
    {
        v_4 = v_3;
    }
    if(bias_at_1 != 4294967295U)
    {
        if(_S46)
        {
            _S47 = row_0;
        }
        else
        {
            _S47 = col_0;
        }
        v_4 = v_4 + bias_0[bias_at_1 + _S47];
    }
    *(c_2+place_1) = closed_0(epilogue_2, v_4);
    return;
}

Place_0 placeOf_0(uint _S48, KernelContext_0 thread* kernelContext_1)
{
    uint _S49 = (&kernelContext_1->entryPointParams_0->p_0)->count_1;
    uint _S50 = _S48 % (&kernelContext_1->entryPointParams_0->p_0)->count_1;
    uint _S51 = _S48 / _S49;
    uint _S52 = (&kernelContext_1->entryPointParams_0->p_0)->part_0;
    uint from_0 = _S51 * (&kernelContext_1->entryPointParams_0->p_0)->part_0;
    int _S53 = int(from_0);
    int _S54 = _S53 * (&kernelContext_1->entryPointParams_0->p_0)->a_col_0;
    int _S55 = _S53 * (&kernelContext_1->entryPointParams_0->p_0)->b_row_0;
    uint i_1 = 0U;
    uint rest_0 = _S50;
    int c_3 = int(0);
    int a_7 = _S54;
    int b_4 = _S55;
    for(;;)
    {
        if(i_1 < 3U)
        {
        }
        else
        {
            break;
        }
        array<uint, int(3)> _S56 = (&kernelContext_1->entryPointParams_0->p_0)->sizes_0;
        uint _S57 = i_1;
        uint _S58 = rest_0 % (&kernelContext_1->entryPointParams_0->p_0)->sizes_0[i_1];
        int at_2 = int(_S58);
        uint rest_1 = rest_0 / _S56[_S57];
        int c_4 = c_3 + at_2 * (&kernelContext_1->entryPointParams_0->p_0)->batch_c_0[i_1];
        int a_8 = a_7 + at_2 * (&kernelContext_1->entryPointParams_0->p_0)->batch_a_0[i_1];
        int b_5 = b_4 + at_2 * (&kernelContext_1->entryPointParams_0->p_0)->batch_b_0[i_1];
        i_1 = i_1 + 1U;
        rest_0 = rest_1;
        c_3 = c_4;
        a_7 = a_8;
        b_4 = b_5;
    }
    if(((&kernelContext_1->entryPointParams_0->p_0)->parts_0) > 1U)
    {
        c_3 = int(_S48 * (&kernelContext_1->entryPointParams_0->p_0)->m_0 * (&kernelContext_1->entryPointParams_0->p_0)->n_0);
    }
    return Place_x24init_0((&kernelContext_1->entryPointParams_0->p_0)->c_at_0 + uint(c_3), (&kernelContext_1->entryPointParams_0->p_0)->a_at_0 + uint(a_7), (&kernelContext_1->entryPointParams_0->p_0)->b_at_0 + uint(b_4), min(_S52, (&kernelContext_1->entryPointParams_0->p_0)->k_0 - from_0));
}

void finish_0(const Place_0 thread* _S59, float device* _S60, float device* _S61, uint _S62, uint _S63, float _S64, KernelContext_0 thread* kernelContext_2)
{
    bool _S65;
    if(_S62 >= ((&kernelContext_2->entryPointParams_0->p_0)->m_0))
    {
        _S65 = true;
    }
    else
    {
        _S65 = _S63 >= ((&kernelContext_2->entryPointParams_0->p_0)->n_0);
    }
    if(_S65)
    {
        return;
    }
    if(((&kernelContext_2->entryPointParams_0->p_0)->parts_0) > 1U)
    {
        *(_S60+(_S59->c_0 + _S62 * (&kernelContext_2->entryPointParams_0->p_0)->n_0 + _S63)) = _S64;
    }
    else
    {
        close_0(_S60, _S59->c_0, (&kernelContext_2->entryPointParams_0->p_0)->ldc_0, _S61, (&kernelContext_2->entryPointParams_0->p_0)->bias_at_0, (&kernelContext_2->entryPointParams_0->p_0)->turned_0, (&kernelContext_2->entryPointParams_0->p_0)->alpha_0, (&kernelContext_2->entryPointParams_0->p_0)->beta_0, (&kernelContext_2->entryPointParams_0->p_0)->epilogue_0, _S62, _S63, _S64);
    }
    return;
}

void byTiles_0(uint _S66, uint _S67, float device* _S68, float device* _S69, float device* _S70, float device* _S71, KernelContext_0 thread* kernelContext_3)
{
    uint _S72 = (&kernelContext_3->entryPointParams_0->p_0)->n_0;
    uint _S73 = ((&kernelContext_3->entryPointParams_0->p_0)->n_0 + 128U - 1U) / 128U;
    uint _S74 = (&kernelContext_3->entryPointParams_0->p_0)->m_0;
    uint _S75 = ((&kernelContext_3->entryPointParams_0->p_0)->m_0 + 128U - 1U) / 128U;
    uint job_0 = _S66;
    for(;;)
    {
        uint _S76 = _S73 * _S75;
        if(job_0 < (_S76 * (&kernelContext_3->entryPointParams_0->p_0)->count_1 * (&kernelContext_3->entryPointParams_0->p_0)->parts_0))
        {
        }
        else
        {
            break;
        }
        uint _S77 = job_0 / _S76;
        Place_0 _S78 = placeOf_0(_S77, kernelContext_3);
        uint tile_0 = job_0 % _S76;
        uint _S79 = tile_0 / _S73;
        uint row0_0 = _S79 * 128U;
        uint _S80 = tile_0 % _S73;
        uint col0_0 = _S80 * 128U;
        Operand_0 y_1 = Operand_x24init_0(_S78.b_1 + uint(int(col0_0) * (&kernelContext_3->entryPointParams_0->p_0)->b_col_0), (&kernelContext_3->entryPointParams_0->p_0)->b_col_0, (&kernelContext_3->entryPointParams_0->p_0)->b_row_0, _S72 - col0_0);
        thread Operand_0 _S81 = Operand_x24init_0(_S78.a_1 + uint(int(row0_0) * (&kernelContext_3->entryPointParams_0->p_0)->a_row_0), (&kernelContext_3->entryPointParams_0->p_0)->a_row_0, (&kernelContext_3->entryPointParams_0->p_0)->a_col_0, _S74 - row0_0);
        thread Operand_0 _S82 = y_1;
        thread array<array<float, int(8)>, int(8)> sum_3;
        tileSums_0(&sum_3, _S69, &_S81, _S70, &_S82, _S78.k_3, _S67, kernelContext_3);
        thread array<array<float, int(8)>, int(8)> _S83 = sum_3;
        thread array<float, int(64)> list_1;
        listed_0(&_S83, &list_1);
        uint e_3 = 0U;
        for(;;)
        {
            if(e_3 < 64U)
            {
            }
            else
            {
                break;
            }
            uint _S84 = row0_0 + tilePlace_0(e_3 / 8U, _S67 / 16U);
            uint _S85 = col0_0 + tilePlace_0(e_3 % 8U, _S67 % 16U);
            thread Place_0 _S86 = _S78;
            finish_0(&_S86, _S68, _S71, _S84, _S85, list_1[e_3], kernelContext_3);
            e_3 = e_3 + 1U;
        }
        job_0 = job_0 + (&kernelContext_3->entryPointParams_0->p_0)->groups_0;
    }
    return;
}

[[kernel]] void matmul_f32_tiled(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], float device* entryPointParams_c_1 [[buffer(1)]], float device* entryPointParams_a_1 [[buffer(2)]], float device* entryPointParams_b_1 [[buffer(3)]], float device* entryPointParams_bias_1 [[buffer(4)]])
{
    thread KernelContext_0 kernelContext_4;
    (&kernelContext_4)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_4)->entryPointParams_c_0 = entryPointParams_c_1;
    (&kernelContext_4)->entryPointParams_a_0 = entryPointParams_a_1;
    (&kernelContext_4)->entryPointParams_b_0 = entryPointParams_b_1;
    (&kernelContext_4)->entryPointParams_bias_0 = entryPointParams_bias_1;
    threadgroup array<float, int(1056)> tile_a_1;
    (&kernelContext_4)->tile_a_0 = &tile_a_1;
    threadgroup array<float, int(1056)> tile_b_1;
    (&kernelContext_4)->tile_b_0 = &tile_b_1;
    byTiles_0(group_0.x, thread_0.x, entryPointParams_c_1, entryPointParams_a_1, entryPointParams_b_1, entryPointParams_bias_1, &kernelContext_4);
    return;
}

