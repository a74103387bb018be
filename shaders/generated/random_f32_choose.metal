#include <metal_stdlib>
#include <metal_math>
#include <metal_texture>
using namespace metal;
struct Row_0
{
    uint first_0;
    uint cols_0;
    uint stretches_0;
    float top_0;
    float temperature_0;
};

Row_0 Row_x24init_0(uint first_1, uint cols_1, uint stretches_1, float top_1, float temperature_1)
{
    thread Row_0 _S1;
    (&_S1)->first_0 = first_1;
    (&_S1)->cols_0 = cols_1;
    (&_S1)->stretches_0 = stretches_1;
    (&_S1)->top_0 = top_1;
    (&_S1)->temperature_0 = temperature_1;
    return _S1;
}

bool isNaN_0(float x_0)
{
    return ((as_type<uint>((x_0))) & 2147483647U) > 2139095040U;
}

struct Part_0
{
    uint key_0;
    uint ties_0;
};

Part_0 Part_x24init_0(uint key_1, uint ties_1)
{
    thread Part_0 _S2;
    (&_S2)->key_0 = key_1;
    (&_S2)->ties_0 = ties_1;
    return _S2;
}

uint keyOf_0(float v_0)
{
    uint bits_0 = (as_type<uint>((v_0)));
    uint bits_1;
    if(bits_0 == 2147483648U)
    {
        bits_1 = 0U;
    }
    else
    {
        bits_1 = bits_0;
    }
    if((bits_1 & 2147483648U) != 0U)
    {
        bits_1 = ~bits_1;
    }
    else
    {
        bits_1 = bits_1 | 2147483648U;
    }
    return bits_1;
}

float expOfRest_0(float x_1, float n_0)
{
    float r_0 = fma(n_0, 0.00021219444170129f, fma(n_0, -0.693359375f, x_1));
    return fma(r_0 * r_0, fma(fma(fma(fma(0.00138390657957643f, r_0, 0.00836919713765383f), r_0, 0.04166810214519501f), r_0, 0.16666516661643982f), r_0, 0.49999994039535522f), r_0) + 1.0f;
}

float expNegative_0(float x_2)
{
    float rounded_0 = fma(x_2, 1.4426950216293335f, 1.2583039e+07f);
    float e_0 = expOfRest_0(x_2, rounded_0 - 1.2583039e+07f) * (as_type<float>(((as_type<uint>((rounded_0))) << 23U)));
    float _S3;
    if(isNaN_0(x_2))
    {
        _S3 = x_2;
    }
    else
    {
        if((as_type<uint>((x_2))) > (as_type<uint>((-87.0f))))
        {
            _S3 = 0.0f;
        }
        else
        {
            _S3 = e_0;
        }
    }
    return _S3;
}

uint weightOf_0(const Row_0 thread* r_1, float v_1)
{
    float _S4 = r_1->top_0;
    if(v_1 == (r_1->top_0))
    {
        return 2147483648U;
    }
    float q_0 = (v_1 - _S4) / r_1->temperature_0;
    if(!(q_0 > -32.0f))
    {
        return 0U;
    }
    float e_1 = expNegative_0(q_0);
    uint _S5;
    if(e_1 < 1.0f)
    {
        _S5 = uint(int(e_1 * 2.147483648e+09f));
    }
    else
    {
        _S5 = 2147483648U;
    }
    return _S5;
}

uint2 addWide_0(uint2 a_0, uint2 b_0)
{
    uint _S6 = a_0.x;
    uint low_0 = _S6 + b_0.x;
    uint _S7 = a_0.y + b_0.y;
    int _S8;
    if(low_0 < _S6)
    {
        _S8 = int(1);
    }
    else
    {
        _S8 = int(0);
    }
    return uint2(low_0, _S7 + uint(_S8));
}

bool lessWide_0(uint2 a_1, uint2 b_1)
{
    uint _S9 = a_1.y;
    uint _S10 = b_1.y;
    bool _S11;
    if(_S9 < _S10)
    {
        _S11 = true;
    }
    else
    {
        if(_S9 == _S10)
        {
            _S11 = (a_1.x) < (b_1.x);
        }
        else
        {
            _S11 = false;
        }
    }
    return _S11;
}

bool enough_0(uint counted_0, uint2 sum_0, uint count_0, bool weighed_0, uint2 mass_0)
{
    bool _S12;
    if(counted_0 >= count_0)
    {
        _S12 = true;
    }
    else
    {
        if(weighed_0)
        {
            _S12 = !lessWide_0(sum_0, mass_0);
        }
        else
        {
            _S12 = false;
        }
    }
    return _S12;
}

float ofKey_0(uint key_2)
{
    uint _S13;
    if((key_2 & 2147483648U) != 0U)
    {
        _S13 = key_2 & 2147483647U;
    }
    else
    {
        _S13 = ~key_2;
    }
    return (as_type<float>((_S13)));
}

uint2 mulWide_0(uint a_2, uint b_2)
{
    uint _S14 = a_2 * b_2;
    uint _S15 = (mulhi((a_2), (b_2)));
    return uint2(_S14, _S15);
}

struct Choice_0
{
    uint groups_0;
    uint out_at_0;
    uint x_at_0;
    uint state_at_0;
    uint rows_0;
    uint cols_2;
    uint stride_0;
    float temperature_2;
    uint top_k_0;
    array<uint, int(2)> top_p_0;
    uint some_0;
};

struct EntryPointParams_0
{
    Choice_0 a_3;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    uint device* entryPointParams_out_0;
    float device* entryPointParams_x_0;
    uint device* entryPointParams_state_0;
    array<float, int(256)> threadgroup* best_value_0;
    array<uint, int(256)> threadgroup* best_index_0;
    array<uint, int(256)> threadgroup* nan_index_0;
    array<uint, int(256)> threadgroup* counts_0;
    array<uint, int(256)> threadgroup* sums_low_0;
    array<uint, int(256)> threadgroup* sums_high_0;
    uint threadgroup* part_key_0;
    uint threadgroup* part_ties_0;
};

Part_0 select_0(float device* x_3, const Row_0 thread* r_2, uint t_0, uint count_1, bool weighed_1, uint2 mass_1, KernelContext_0 thread* kernelContext_0)
{
    uint last_0;
    uint counted_1;
    uint2 summed_0;
    uint2 _S16 = uint2(0U, 0U);
    uint key_3 = 0U;
    uint2 summed_1 = _S16;
    int shift_0 = int(24);
    uint counted_2 = 0U;
    for(;;)
    {
        if(shift_0 >= int(0))
        {
        }
        else
        {
            break;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        (*kernelContext_0->counts_0)[t_0] = 0U;
        (*kernelContext_0->sums_low_0)[t_0] = 0U;
        (*kernelContext_0->sums_high_0)[t_0] = 0U;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S17;
        if(shift_0 == int(24))
        {
            _S17 = 0U;
        }
        else
        {
            _S17 = 4294967295U << uint(shift_0 + int(8));
        }
        uint j_0 = t_0;
        for(;;)
        {
            if(j_0 < (r_2->cols_0))
            {
            }
            else
            {
                break;
            }
            float v_2 = x_3[r_2->first_0 + j_0];
            uint k_0 = keyOf_0(v_2);
            if(((k_0 ^ key_3) & _S17) != 0U)
            {
                j_0 = j_0 + 256U;
                continue;
            }
            uint byte_0 = (k_0 >> uint(shift_0)) & 255U;
            uint _S18 = atomic_fetch_add_explicit(((atomic_uint threadgroup*)(&(*kernelContext_0->counts_0)[byte_0])), 1U, memory_order_relaxed);
            if(!weighed_1)
            {
                j_0 = j_0 + 256U;
                continue;
            }
            uint _S19 = weightOf_0(r_2, v_2);
            uint before_0 = atomic_fetch_add_explicit(((atomic_uint threadgroup*)(&(*kernelContext_0->sums_low_0)[byte_0])), _S19, memory_order_relaxed);
            if((before_0 + _S19) < before_0)
            {
                uint _S20 = atomic_fetch_add_explicit(((atomic_uint threadgroup*)(&(*kernelContext_0->sums_high_0)[byte_0])), 1U, memory_order_relaxed);
            }
            j_0 = j_0 + 256U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint counted_3;
        uint2 summed_2;
        if(t_0 == 0U)
        {
            uint last_1 = 4294967295U;
            summed_2 = summed_1;
            int b_3 = int(255);
            counted_3 = counted_2;
            for(;;)
            {
                if(b_3 >= int(0))
                {
                }
                else
                {
                    last_0 = last_1;
                    summed_0 = summed_2;
                    counted_1 = counted_3;
                    break;
                }
                if(((*kernelContext_0->counts_0)[b_3]) == 0U)
                {
                    b_3 = b_3 - int(1);
                    continue;
                }
                if(last_1 != 4294967295U)
                {
                    uint counted_4 = counted_3 + (*kernelContext_0->counts_0)[last_1];
                    summed_0 = addWide_0(summed_2, uint2((*kernelContext_0->sums_low_0)[last_1], (*kernelContext_0->sums_high_0)[last_1]));
                    last_0 = counted_4;
                }
                else
                {
                    summed_0 = summed_2;
                    last_0 = counted_3;
                }
                uint _S21 = uint(b_3);
                if(enough_0(last_0 + (*kernelContext_0->counts_0)[b_3], addWide_0(summed_0, uint2((*kernelContext_0->sums_low_0)[b_3], (*kernelContext_0->sums_high_0)[b_3])), count_1, weighed_1, mass_1))
                {
                    uint _S22 = last_0;
                    last_0 = _S21;
                    counted_1 = _S22;
                    break;
                }
                last_1 = _S21;
                summed_2 = summed_0;
                counted_3 = last_0;
                b_3 = b_3 - int(1);
            }
            *kernelContext_0->part_key_0 = key_3 | (last_0 << uint(shift_0));
            if(shift_0 == int(0))
            {
                uint _S23 = weightOf_0(r_2, ofKey_0(*kernelContext_0->part_key_0));
                uint _S24 = (*kernelContext_0->counts_0)[last_0];
                uint low_1 = 1U;
                uint high_0 = _S24;
                for(;;)
                {
                    if(low_1 < high_0)
                    {
                    }
                    else
                    {
                        break;
                    }
                    uint middle_0 = low_1 + (high_0 - low_1) / 2U;
                    uint _S25 = counted_1 + middle_0;
                    uint2 _S26 = mulWide_0(_S23, middle_0);
                    if(enough_0(_S25, addWide_0(summed_0, _S26), count_1, weighed_1, mass_1))
                    {
                        high_0 = middle_0;
                    }
                    else
                    {
                        low_1 = middle_0 + 1U;
                    }
                }
                *kernelContext_0->part_ties_0 = low_1;
            }
            summed_2 = summed_0;
            counted_3 = counted_1;
        }
        else
        {
            summed_2 = summed_1;
            counted_3 = counted_2;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        uint _S27 = *kernelContext_0->part_key_0;
        int shift_1 = shift_0 - int(8);
        key_3 = _S27;
        summed_1 = summed_2;
        shift_0 = shift_1;
        counted_2 = counted_3;
    }
    return Part_x24init_0(key_3, *kernelContext_0->part_ties_0);
}

uint tiesOf_0(float device* x_4, const Row_0 thread* r_3, const Part_0 thread* part_0, uint t_1, uint begin_0, uint end_0, KernelContext_0 thread* kernelContext_1)
{
    uint j_1 = begin_0;
    uint same_0 = 0U;
    for(;;)
    {
        if(j_1 < end_0)
        {
        }
        else
        {
            break;
        }
        int _S28;
        if((keyOf_0(x_4[r_3->first_0 + j_1])) == (part_0->key_0))
        {
            _S28 = int(1);
        }
        else
        {
            _S28 = int(0);
        }
        uint same_1 = same_0 + uint(_S28);
        j_1 = j_1 + 1U;
        same_0 = same_1;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_1->counts_0)[t_1] = same_0;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint i_0 = 0U;
    uint before_1 = 0U;
    for(;;)
    {
        if(i_0 < (min(t_1, r_3->stretches_0)))
        {
        }
        else
        {
            break;
        }
        uint before_2 = before_1 + (*kernelContext_1->counts_0)[i_0];
        i_0 = i_0 + 1U;
        before_1 = before_2;
    }
    uint _S29 = part_0->ties_0;
    if(before_1 < (part_0->ties_0))
    {
        j_1 = _S29 - before_1;
    }
    else
    {
        j_1 = 0U;
    }
    return j_1;
}

uint partWeight_0(const Row_0 thread* r_4, const Part_0 thread* part_1, float v_3, uint thread* ties_2)
{
    uint key_4 = keyOf_0(v_3);
    uint _S30 = part_1->key_0;
    if(key_4 < (part_1->key_0))
    {
        return 0U;
    }
    if(key_4 == _S30)
    {
        if((*ties_2) == 0U)
        {
            return 0U;
        }
        *ties_2 = *ties_2 - 1U;
    }
    uint _S31 = weightOf_0(r_4, v_3);
    return _S31;
}

uint2 total_0(float device* x_5, const Row_0 thread* r_5, const Part_0 thread* part_2, uint t_2, uint begin_1, uint end_1, uint ties_3, KernelContext_0 thread* kernelContext_2)
{
    thread uint _S32 = ties_3;
    uint2 _S33 = uint2(0U, 0U);
    uint2 sum_1 = _S33;
    uint j_2 = begin_1;
    for(;;)
    {
        if(j_2 < end_1)
        {
        }
        else
        {
            break;
        }
        uint _S34 = partWeight_0(r_5, part_2, x_5[r_5->first_0 + j_2], &_S32);
        uint2 _S35 = addWide_0(sum_1, uint2(_S34, 0U));
        uint _S36 = j_2 + 1U;
        sum_1 = _S35;
        j_2 = _S36;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_2->sums_low_0)[t_2] = sum_1.x;
    (*kernelContext_2->sums_high_0)[t_2] = sum_1.y;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    uint2 all_0 = _S33;
    uint i_1 = 0U;
    for(;;)
    {
        if(i_1 < (r_5->stretches_0))
        {
        }
        else
        {
            break;
        }
        uint2 _S37 = addWide_0(all_0, uint2((*kernelContext_2->sums_low_0)[i_1], (*kernelContext_2->sums_high_0)[i_1]));
        uint _S38 = i_1 + 1U;
        all_0 = _S37;
        i_1 = _S38;
    }
    return all_0;
}

uint4 mulWideFull_0(uint2 a_4, uint2 b_4)
{
    uint _S39 = a_4.x;
    uint _S40 = b_4.x;
    uint2 ends_0 = mulWide_0(_S39, _S40);
    uint _S41 = b_4.y;
    uint2 one_0 = mulWide_0(_S39, _S41);
    uint _S42 = a_4.y;
    uint2 other_0 = mulWide_0(_S42, _S40);
    uint2 middle_1 = addWide_0(addWide_0(uint2(ends_0.y, 0U), uint2(one_0.x, 0U)), uint2(other_0.x, 0U));
    uint2 _S43 = mulWide_0(_S42, _S41);
    return uint4(ends_0.x, middle_1.x, addWide_0(addWide_0(_S43, uint2(one_0.y, 0U)), addWide_0(uint2(other_0.y, 0U), uint2(middle_1.y, 0U))));
}

uint4 philox_0(uint device* state_0, uint at_0, uint n_1)
{
    uint2 _S44 = uint2(state_0[at_0], state_0[at_0 + 1U]);
    thread uint4 c_0 = uint4(state_0[at_0 + 2U], state_0[at_0 + 3U], state_0[at_0 + 4U], state_0[at_0 + 5U]);
    c_0.x = c_0.x + n_1;
    bool _S45;
    if((c_0.x) < n_1)
    {
        uint _S46 = c_0.y + 1U;
        c_0.y = _S46;
        _S45 = _S46 == 0U;
    }
    else
    {
        _S45 = false;
    }
    if(_S45)
    {
        uint _S47 = c_0.z + 1U;
        c_0.z = _S47;
        _S45 = _S47 == 0U;
    }
    else
    {
        _S45 = false;
    }
    if(_S45)
    {
        c_0.w = c_0.w + 1U;
    }
    uint round_0 = 0U;
    uint2 key_5 = _S44;
    for(;;)
    {
        if(round_0 < 10U)
        {
        }
        else
        {
            break;
        }
        uint2 a_5 = mulWide_0(c_0.x, 3528531795U);
        uint2 b_5 = mulWide_0(c_0.z, 3449720151U);
        c_0 = uint4(((b_5.y) ^ (c_0.y)) ^ (key_5.x), b_5.x, ((a_5.y) ^ (c_0.w)) ^ (key_5.y), a_5.x);
        uint2 key_6 = key_5 + uint2(2654435769U, 3144134277U);
        round_0 = round_0 + 1U;
        key_5 = key_6;
    }
    return c_0;
}

[[kernel]] void random_f32_choose(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_0 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], uint device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]], uint device* entryPointParams_state_1 [[buffer(3)]])
{
    uint at_1;
    bool _S48;
    bool _S49;
    thread KernelContext_0 kernelContext_3;
    (&kernelContext_3)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_3)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_3)->entryPointParams_x_0 = entryPointParams_x_1;
    (&kernelContext_3)->entryPointParams_state_0 = entryPointParams_state_1;
    threadgroup array<float, int(256)> best_value_1;
    (&kernelContext_3)->best_value_0 = &best_value_1;
    threadgroup array<uint, int(256)> best_index_1;
    (&kernelContext_3)->best_index_0 = &best_index_1;
    threadgroup array<uint, int(256)> nan_index_1;
    (&kernelContext_3)->nan_index_0 = &nan_index_1;
    threadgroup array<uint, int(256)> counts_1;
    (&kernelContext_3)->counts_0 = &counts_1;
    threadgroup array<uint, int(256)> sums_low_1;
    (&kernelContext_3)->sums_low_0 = &sums_low_1;
    threadgroup array<uint, int(256)> sums_high_1;
    (&kernelContext_3)->sums_high_0 = &sums_high_1;
    threadgroup uint part_key_1;
    (&kernelContext_3)->part_key_0 = &part_key_1;
    threadgroup uint part_ties_1;
    (&kernelContext_3)->part_ties_0 = &part_ties_1;
    uint _S50 = thread_0.x;
    uint row_0 = group_0.x;
    for(;;)
    {
        if(row_0 < ((&(&kernelContext_3)->entryPointParams_0->a_3)->rows_0))
        {
        }
        else
        {
            break;
        }
        uint length_0 = ((&(&kernelContext_3)->entryPointParams_0->a_3)->cols_2 + 256U - 1U) / 256U;
        uint _S51 = min((&(&kernelContext_3)->entryPointParams_0->a_3)->cols_2, _S50 * length_0);
        uint _S52 = min((&(&kernelContext_3)->entryPointParams_0->a_3)->cols_2, _S51 + length_0);
        uint _S53 = (&(&kernelContext_3)->entryPointParams_0->a_3)->x_at_0 + row_0 * (&(&kernelContext_3)->entryPointParams_0->a_3)->stride_0;
        uint _S54 = (&(&kernelContext_3)->entryPointParams_0->a_3)->cols_2;
        uint _S55 = ((&(&kernelContext_3)->entryPointParams_0->a_3)->cols_2 + length_0 - 1U) / length_0;
        thread Row_0 r_6 = Row_x24init_0(_S53, _S54, _S55, 0.0f, (&(&kernelContext_3)->entryPointParams_0->a_3)->temperature_2);
        uint nan_0 = 4294967295U;
        uint at_2 = 4294967295U;
        float best_0 = 0.0f;
        uint j_3 = _S50;
        for(;;)
        {
            if(j_3 < ((&r_6)->cols_0))
            {
            }
            else
            {
                break;
            }
            float v_4 = (&kernelContext_3)->entryPointParams_x_0[(&r_6)->first_0 + j_3];
            if(isNaN_0(v_4))
            {
                nan_0 = min(nan_0, j_3);
            }
            else
            {
                if(at_2 == 4294967295U)
                {
                    _S48 = true;
                }
                else
                {
                    _S48 = v_4 > best_0;
                }
                float best_1;
                if(_S48)
                {
                    at_1 = j_3;
                    best_1 = v_4;
                }
                else
                {
                    at_1 = at_2;
                    best_1 = best_0;
                }
                at_2 = at_1;
                best_0 = best_1;
            }
            j_3 = j_3 + 256U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        (*(&kernelContext_3)->best_value_0)[_S50] = best_0;
        (*(&kernelContext_3)->best_index_0)[_S50] = at_2;
        (*(&kernelContext_3)->nan_index_0)[_S50] = nan_0;
        at_1 = 128U;
        for(;;)
        {
            if(at_1 > 0U)
            {
            }
            else
            {
                break;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            if(_S50 >= at_1)
            {
                at_1 = at_1 / 2U;
                continue;
            }
            uint _S56 = _S50 + at_1;
            uint other_1 = (*(&kernelContext_3)->best_index_0)[_S56];
            uint own_0 = (*(&kernelContext_3)->best_index_0)[_S50];
            float w_0 = (*(&kernelContext_3)->best_value_0)[_S56];
            float v_5 = (*(&kernelContext_3)->best_value_0)[_S50];
            (*(&kernelContext_3)->nan_index_0)[_S50] = min((*(&kernelContext_3)->nan_index_0)[_S50], (*(&kernelContext_3)->nan_index_0)[_S56]);
            if(other_1 != 4294967295U)
            {
                if(own_0 == 4294967295U)
                {
                    _S48 = true;
                }
                else
                {
                    _S48 = w_0 > v_5;
                }
                if(_S48)
                {
                    _S49 = true;
                }
                else
                {
                    if(w_0 == v_5)
                    {
                        _S49 = other_1 < own_0;
                    }
                    else
                    {
                        _S49 = false;
                    }
                }
                _S48 = _S49;
            }
            else
            {
                _S48 = false;
            }
            if(_S48)
            {
                (*(&kernelContext_3)->best_index_0)[_S50] = other_1;
                (*(&kernelContext_3)->best_value_0)[_S50] = w_0;
            }
            at_1 = at_1 / 2U;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        (&r_6)->top_0 = (*(&kernelContext_3)->best_value_0)[int(0)];
        uint chosen_0;
        if(((*(&kernelContext_3)->nan_index_0)[int(0)]) != 4294967295U)
        {
            chosen_0 = (*(&kernelContext_3)->nan_index_0)[int(0)];
        }
        else
        {
            chosen_0 = (*(&kernelContext_3)->best_index_0)[int(0)];
        }
        if(((&(&kernelContext_3)->entryPointParams_0->a_3)->temperature_2) == 0.0f)
        {
            _S48 = true;
        }
        else
        {
            _S48 = ((*(&kernelContext_3)->nan_index_0)[int(0)]) != 4294967295U;
        }
        if(_S48)
        {
            _S49 = true;
        }
        else
        {
            _S49 = ((&r_6)->top_0) == (- (as_type<float>((2139095040U))));
        }
        if(_S49)
        {
            if(_S50 == 0U)
            {
                *((&kernelContext_3)->entryPointParams_out_0+((&(&kernelContext_3)->entryPointParams_0->a_3)->out_at_0 + row_0)) = chosen_0;
            }
            row_0 = row_0 + (&(&kernelContext_3)->entryPointParams_0->a_3)->groups_0;
            continue;
        }
        Part_0 _S57 = Part_x24init_0(0U, 0U);
        uint2 no_mass_0 = uint2(0U, 0U);
        Part_0 part_3;
        if(((&(&kernelContext_3)->entryPointParams_0->a_3)->top_k_0) < ((&r_6)->cols_0))
        {
            uint _S58 = (&(&kernelContext_3)->entryPointParams_0->a_3)->top_k_0;
            thread Row_0 _S59 = r_6;
            Part_0 _S60 = select_0((&kernelContext_3)->entryPointParams_x_0, &_S59, _S50, _S58, false, no_mass_0, &kernelContext_3);
            part_3 = _S60;
        }
        else
        {
            part_3 = _S57;
        }
        Part_0 part_4;
        if(((&(&kernelContext_3)->entryPointParams_0->a_3)->some_0) != 0U)
        {
            Row_0 _S61 = r_6;
            thread Row_0 _S62 = r_6;
            thread Part_0 _S63 = part_3;
            uint _S64 = tiesOf_0((&kernelContext_3)->entryPointParams_x_0, &_S62, &_S63, _S50, _S51, _S52, &kernelContext_3);
            thread Row_0 _S65 = _S61;
            thread Part_0 _S66 = part_3;
            uint2 _S67 = total_0((&kernelContext_3)->entryPointParams_x_0, &_S65, &_S66, _S50, _S51, _S52, _S64, &kernelContext_3);
            uint _S68 = (&(&kernelContext_3)->entryPointParams_0->a_3)->top_k_0;
            uint4 _S69 = mulWideFull_0(_S67, uint2((&(&kernelContext_3)->entryPointParams_0->a_3)->top_p_0[int(0)], (&(&kernelContext_3)->entryPointParams_0->a_3)->top_p_0[int(1)]));
            uint2 _S70 = _S69.zw;
            thread Row_0 _S71 = r_6;
            Part_0 _S72 = select_0((&kernelContext_3)->entryPointParams_x_0, &_S71, _S50, _S68, true, _S70, &kernelContext_3);
            part_4 = _S72;
        }
        else
        {
            part_4 = part_3;
        }
        thread Row_0 _S73 = r_6;
        thread Part_0 _S74 = part_4;
        uint _S75 = tiesOf_0((&kernelContext_3)->entryPointParams_x_0, &_S73, &_S74, _S50, _S51, _S52, &kernelContext_3);
        thread uint ties_4 = _S75;
        thread Row_0 _S76 = r_6;
        thread Part_0 _S77 = part_4;
        uint2 _S78 = total_0((&kernelContext_3)->entryPointParams_x_0, &_S76, &_S77, _S50, _S51, _S52, _S75, &kernelContext_3);
        uint4 words_0 = philox_0((&kernelContext_3)->entryPointParams_state_0, (&(&kernelContext_3)->entryPointParams_0->a_3)->state_at_0, row_0);
        uint4 _S79 = mulWideFull_0(_S78, uint2((words_0.x) & 4294965248U, words_0.y));
        uint2 target_0 = _S79.zw;
        uint2 sum_2 = no_mass_0;
        uint i_2 = 0U;
        for(;;)
        {
            if(i_2 < (min(_S50, (&r_6)->stretches_0)))
            {
            }
            else
            {
                break;
            }
            uint2 _S80 = addWide_0(sum_2, uint2((*(&kernelContext_3)->sums_low_0)[i_2], (*(&kernelContext_3)->sums_high_0)[i_2]));
            uint _S81 = i_2 + 1U;
            sum_2 = _S80;
            i_2 = _S81;
        }
        uint2 after_0 = addWide_0(sum_2, uint2((*(&kernelContext_3)->sums_low_0)[_S50], (*(&kernelContext_3)->sums_high_0)[_S50]));
        bool _S82;
        if(!lessWide_0(target_0, sum_2))
        {
            _S82 = lessWide_0(target_0, after_0);
        }
        else
        {
            _S82 = false;
        }
        if(_S82)
        {
            uint2 sum_3 = sum_2;
            uint j_4 = _S51;
            for(;;)
            {
                if(j_4 < _S52)
                {
                }
                else
                {
                    break;
                }
                float _S83 = (&kernelContext_3)->entryPointParams_x_0[(&r_6)->first_0 + j_4];
                thread Row_0 _S84 = r_6;
                thread Part_0 _S85 = part_4;
                uint _S86 = partWeight_0(&_S84, &_S85, _S83, &ties_4);
                uint2 sum_4 = addWide_0(sum_3, uint2(_S86, 0U));
                if(lessWide_0(target_0, sum_4))
                {
                    *((&kernelContext_3)->entryPointParams_out_0+((&(&kernelContext_3)->entryPointParams_0->a_3)->out_at_0 + row_0)) = j_4;
                    break;
                }
                uint _S87 = j_4 + 1U;
                sum_3 = sum_4;
                j_4 = _S87;
            }
        }
        row_0 = row_0 + (&(&kernelContext_3)->entryPointParams_0->a_3)->groups_0;
    }
    return;
}

