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

struct Squares_0
{
    Pair_0 large_0;
    Pair_0 usual_0;
    Pair_0 small_0;
};

Squares_0 Squares_x24init_0(const Pair_0 thread* large_1, const Pair_0 thread* usual_1, const Pair_0 thread* small_1)
{
    thread Squares_0 _S2;
    (&_S2)->large_0 = *large_1;
    (&_S2)->usual_0 = *usual_1;
    (&_S2)->small_0 = *small_1;
    return _S2;
}

Squares_0 Squares_x24init_1(const Pair_0 thread* large_2, const Pair_0 thread* usual_2, const Pair_0 thread* small_2)
{
    thread Squares_0 _S3;
    (&_S3)->large_0 = *large_2;
    (&_S3)->usual_0 = *usual_2;
    (&_S3)->small_0 = *small_2;
    return _S3;
}

Squares_0 noSquares_0()
{
    Pair_0 _S4 = pairOf_0(0.0f, 0.0f);
    thread Pair_0 _S5 = _S4;
    thread Pair_0 _S6 = _S4;
    thread Pair_0 _S7 = _S4;
    Squares_0 _S8 = Squares_x24init_0(&_S5, &_S6, &_S7);
    return _S8;
}

void readAhead_0(float device* x_0, uint x_at_0, uint i_0, uint to_0, array<float, int(4)> thread* v_0)
{
    (*v_0)[0U] = 0.0f;
    if(i_0 < to_0)
    {
        (*v_0)[0U] = x_0[x_at_0 + i_0];
    }
    uint j_0 = i_0 + 128U;
    (*v_0)[1U] = 0.0f;
    if(j_0 < to_0)
    {
        (*v_0)[1U] = x_0[x_at_0 + j_0];
    }
    uint j_1 = i_0 + 256U;
    (*v_0)[2U] = 0.0f;
    if(j_1 < to_0)
    {
        (*v_0)[2U] = x_0[x_at_0 + j_1];
    }
    uint j_2 = i_0 + 384U;
    (*v_0)[3U] = 0.0f;
    if(j_2 < to_0)
    {
        (*v_0)[3U] = x_0[x_at_0 + j_2];
    }
    return;
}

bool isUsual_0(float x_1)
{
    return (((as_type<uint>((x_1))) & 2147483647U) - 662700032U) < 805306368U;
}

float lostOf_0(float a_0, float b_0, float p_0)
{
    float a_high_0 = (as_type<float>(((as_type<uint>((a_0))) & 4294963200U)));
    float b_high_0 = (as_type<float>(((as_type<uint>((b_0))) & 4294963200U)));
    float a_low_0 = a_0 - a_high_0;
    float b_low_0 = b_0 - b_high_0;
    return a_high_0 * b_high_0 - p_0 + a_high_0 * b_low_0 + a_low_0 * b_high_0 + a_low_0 * b_low_0;
}

Pair_0 squareOf_0(float x_2)
{
    float square_0 = x_2 * x_2;
    return pairOf_0(square_0, lostOf_0(x_2, x_2, square_0));
}

Pair_0 joined_0(const Pair_0 thread* a_1, const Pair_0 thread* b_1)
{
    float sum_3 = a_1->sum_0 + b_1->sum_0;
    float b_part_0 = sum_3 - a_1->sum_0;
    return pairOf_0(sum_3, a_1->sum_0 - (sum_3 - b_part_0) + (b_1->sum_0 - b_part_0) + (a_1->lost_0 + b_1->lost_0));
}

Squares_0 squaresOf_0(float device* x_3, uint x_at_1, uint from_0, uint to_1, uint thread_0)
{
    float _S9;
    float _S10;
    float _S11;
    float _S12;
    thread Squares_0 s_0 = noSquares_0();
    uint _S13 = from_0 + thread_0;
    uint i_1 = _S13;
    uint others_0 = 0U;
    for(;;)
    {
        if(i_1 < to_1)
        {
        }
        else
        {
            break;
        }
        thread array<float, int(4)> v_1;
        readAhead_0(x_3, x_at_1, i_1, to_1, &v_1);
        bool usual_3 = isUsual_0(v_1[0U]);
        uint _S14;
        if(usual_3)
        {
            _S14 = 0U;
        }
        else
        {
            _S14 = (as_type<uint>((v_1[0U]))) << 1U;
        }
        uint others_1 = others_0 | _S14;
        Pair_0 _S15 = (&s_0)->usual_0;
        if(usual_3)
        {
            _S9 = v_1[0U];
        }
        else
        {
            _S9 = 0.0f;
        }
        Pair_0 _S16 = squareOf_0(_S9);
        thread Pair_0 _S17 = _S15;
        thread Pair_0 _S18 = _S16;
        Pair_0 _S19 = joined_0(&_S17, &_S18);
        (&s_0)->usual_0 = _S19;
        bool usual_4 = isUsual_0(v_1[1U]);
        uint _S20;
        if(usual_4)
        {
            _S20 = 0U;
        }
        else
        {
            _S20 = (as_type<uint>((v_1[1U]))) << 1U;
        }
        uint others_2 = others_1 | _S20;
        Pair_0 _S21 = (&s_0)->usual_0;
        if(usual_4)
        {
            _S10 = v_1[1U];
        }
        else
        {
            _S10 = 0.0f;
        }
        Pair_0 _S22 = squareOf_0(_S10);
        thread Pair_0 _S23 = _S21;
        thread Pair_0 _S24 = _S22;
        Pair_0 _S25 = joined_0(&_S23, &_S24);
        (&s_0)->usual_0 = _S25;
        bool usual_5 = isUsual_0(v_1[2U]);
        uint _S26;
        if(usual_5)
        {
            _S26 = 0U;
        }
        else
        {
            _S26 = (as_type<uint>((v_1[2U]))) << 1U;
        }
        uint others_3 = others_2 | _S26;
        Pair_0 _S27 = (&s_0)->usual_0;
        if(usual_5)
        {
            _S11 = v_1[2U];
        }
        else
        {
            _S11 = 0.0f;
        }
        Pair_0 _S28 = squareOf_0(_S11);
        thread Pair_0 _S29 = _S27;
        thread Pair_0 _S30 = _S28;
        Pair_0 _S31 = joined_0(&_S29, &_S30);
        (&s_0)->usual_0 = _S31;
        bool usual_6 = isUsual_0(v_1[3U]);
        uint _S32;
        if(usual_6)
        {
            _S32 = 0U;
        }
        else
        {
            _S32 = (as_type<uint>((v_1[3U]))) << 1U;
        }
        uint others_4 = others_3 | _S32;
        Pair_0 _S33 = (&s_0)->usual_0;
        if(usual_6)
        {
            _S12 = v_1[3U];
        }
        else
        {
            _S12 = 0.0f;
        }
        Pair_0 _S34 = squareOf_0(_S12);
        thread Pair_0 _S35 = _S33;
        thread Pair_0 _S36 = _S34;
        Pair_0 _S37 = joined_0(&_S35, &_S36);
        (&s_0)->usual_0 = _S37;
        i_1 = i_1 + 512U;
        others_0 = others_4;
    }
    if(others_0 != 0U)
    {
        i_1 = _S13;
    }
    else
    {
        i_1 = to_1;
    }
    for(;;)
    {
        if(i_1 < to_1)
        {
        }
        else
        {
            break;
        }
        thread array<float, int(4)> v_2;
        readAhead_0(x_3, x_at_1, i_1, to_1, &v_2);
        bool large_3 = ((as_type<uint>((v_2[0U]))) & 2147483647U) >= 1468006400U;
        if(isUsual_0(v_2[0U]))
        {
            _S9 = 0.0f;
        }
        else
        {
            float _S38 = v_2[0U];
            if(large_3)
            {
                _S9 = (as_type<float>((260046848U)));
            }
            else
            {
                _S9 = (as_type<float>((1870659584U)));
            }
            _S9 = _S38 * _S9;
        }
        Pair_0 square_1 = squareOf_0(_S9);
        if(large_3)
        {
            thread Pair_0 _S39 = (&s_0)->large_0;
            thread Pair_0 _S40 = square_1;
            Pair_0 _S41 = joined_0(&_S39, &_S40);
            (&s_0)->large_0 = _S41;
        }
        else
        {
            thread Pair_0 _S42 = (&s_0)->small_0;
            thread Pair_0 _S43 = square_1;
            Pair_0 _S44 = joined_0(&_S42, &_S43);
            (&s_0)->small_0 = _S44;
        }
        bool large_4 = ((as_type<uint>((v_2[1U]))) & 2147483647U) >= 1468006400U;
        if(isUsual_0(v_2[1U]))
        {
            _S10 = 0.0f;
        }
        else
        {
            float _S45 = v_2[1U];
            if(large_4)
            {
                _S10 = (as_type<float>((260046848U)));
            }
            else
            {
                _S10 = (as_type<float>((1870659584U)));
            }
            _S10 = _S45 * _S10;
        }
        Pair_0 square_2 = squareOf_0(_S10);
        if(large_4)
        {
            thread Pair_0 _S46 = (&s_0)->large_0;
            thread Pair_0 _S47 = square_2;
            Pair_0 _S48 = joined_0(&_S46, &_S47);
            (&s_0)->large_0 = _S48;
        }
        else
        {
            thread Pair_0 _S49 = (&s_0)->small_0;
            thread Pair_0 _S50 = square_2;
            Pair_0 _S51 = joined_0(&_S49, &_S50);
            (&s_0)->small_0 = _S51;
        }
        bool large_5 = ((as_type<uint>((v_2[2U]))) & 2147483647U) >= 1468006400U;
        if(isUsual_0(v_2[2U]))
        {
            _S11 = 0.0f;
        }
        else
        {
            float _S52 = v_2[2U];
            if(large_5)
            {
                _S11 = (as_type<float>((260046848U)));
            }
            else
            {
                _S11 = (as_type<float>((1870659584U)));
            }
            _S11 = _S52 * _S11;
        }
        Pair_0 square_3 = squareOf_0(_S11);
        if(large_5)
        {
            thread Pair_0 _S53 = (&s_0)->large_0;
            thread Pair_0 _S54 = square_3;
            Pair_0 _S55 = joined_0(&_S53, &_S54);
            (&s_0)->large_0 = _S55;
        }
        else
        {
            thread Pair_0 _S56 = (&s_0)->small_0;
            thread Pair_0 _S57 = square_3;
            Pair_0 _S58 = joined_0(&_S56, &_S57);
            (&s_0)->small_0 = _S58;
        }
        bool large_6 = ((as_type<uint>((v_2[3U]))) & 2147483647U) >= 1468006400U;
        if(isUsual_0(v_2[3U]))
        {
            _S12 = 0.0f;
        }
        else
        {
            float _S59 = v_2[3U];
            if(large_6)
            {
                _S12 = (as_type<float>((260046848U)));
            }
            else
            {
                _S12 = (as_type<float>((1870659584U)));
            }
            _S12 = _S59 * _S12;
        }
        Pair_0 square_4 = squareOf_0(_S12);
        if(large_6)
        {
            thread Pair_0 _S60 = (&s_0)->large_0;
            thread Pair_0 _S61 = square_4;
            Pair_0 _S62 = joined_0(&_S60, &_S61);
            (&s_0)->large_0 = _S62;
        }
        else
        {
            thread Pair_0 _S63 = (&s_0)->small_0;
            thread Pair_0 _S64 = square_4;
            Pair_0 _S65 = joined_0(&_S63, &_S64);
            (&s_0)->small_0 = _S65;
        }
        i_1 = i_1 + 512U;
    }
    return s_0;
}

Squares_0 joinedSquares_0(const Squares_0 thread* a_2, const Squares_0 thread* b_2)
{
    Pair_0 _S66 = joined_0(&a_2->large_0, &b_2->large_0);
    Pair_0 _S67 = joined_0(&a_2->usual_0, &b_2->usual_0);
    Pair_0 _S68 = joined_0(&a_2->small_0, &b_2->small_0);
    thread Pair_0 _S69 = _S66;
    thread Pair_0 _S70 = _S67;
    thread Pair_0 _S71 = _S68;
    Squares_0 _S72 = Squares_x24init_1(&_S69, &_S70, &_S71);
    return _S72;
}

struct Parts_0
{
    uint groups_0;
    uint out_at_0;
    uint x_at_2;
    uint count_0;
    uint each_0;
};

struct EntryPointParams_0
{
    Parts_0 a_3;
};

struct KernelContext_0
{
    EntryPointParams_0 constant* entryPointParams_0;
    Squares_0 device* entryPointParams_out_0;
    float device* entryPointParams_x_0;
    array<Squares_0, int(128)> threadgroup* shared_squares_0;
};

Squares_0 squaresOfGroup_0(const Squares_0 thread* s_1, uint thread_1, KernelContext_0 thread* kernelContext_0)
{
    threadgroup_barrier(mem_flags::mem_threadgroup);
    (*kernelContext_0->shared_squares_0)[thread_1] = *s_1;
    Squares_0 _S73 = *s_1;
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
        if(thread_1 < half_0)
        {
            Squares_0 _S74 = (*kernelContext_0->shared_squares_0)[thread_1 + half_0];
            thread Squares_0 _S75 = _S73;
            thread Squares_0 _S76 = _S74;
            Squares_0 _S77 = joinedSquares_0(&_S75, &_S76);
            (*kernelContext_0->shared_squares_0)[thread_1] = _S77;
            _S73 = _S77;
        }
        half_0 = half_0 / 2U;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return (*kernelContext_0->shared_squares_0)[int(0)];
}

[[kernel]] void norm_parts_f32(uint3 group_0 [[threadgroup_position_in_grid]], uint3 thread_2 [[thread_position_in_threadgroup]], EntryPointParams_0 constant* entryPointParams_1 [[buffer(0)]], Squares_0 device* entryPointParams_out_1 [[buffer(1)]], float device* entryPointParams_x_1 [[buffer(2)]])
{
    thread KernelContext_0 kernelContext_1;
    (&kernelContext_1)->entryPointParams_0 = entryPointParams_1;
    (&kernelContext_1)->entryPointParams_out_0 = entryPointParams_out_1;
    (&kernelContext_1)->entryPointParams_x_0 = entryPointParams_x_1;
    threadgroup array<Squares_0, int(128)> shared_squares_1;
    (&kernelContext_1)->shared_squares_0 = &shared_squares_1;
    uint part_0 = group_0.x;
    for(;;)
    {
        if((part_0 * (&kernelContext_1)->entryPointParams_0->a_3.each_0) < ((&kernelContext_1)->entryPointParams_0->a_3.count_0))
        {
        }
        else
        {
            break;
        }
        uint from_1 = part_0 * (&kernelContext_1)->entryPointParams_0->a_3.each_0;
        uint _S78 = thread_2.x;
        thread Squares_0 _S79 = squaresOf_0((&kernelContext_1)->entryPointParams_x_0, (&kernelContext_1)->entryPointParams_0->a_3.x_at_2, from_1, min((&kernelContext_1)->entryPointParams_0->a_3.count_0, from_1 + (&kernelContext_1)->entryPointParams_0->a_3.each_0), _S78);
        Squares_0 _S80 = squaresOfGroup_0(&_S79, _S78, &kernelContext_1);
        if(_S78 == 0U)
        {
            *((&kernelContext_1)->entryPointParams_out_0+((&kernelContext_1)->entryPointParams_0->a_3.out_at_0 + part_0)) = _S80;
        }
        part_0 = part_0 + (&kernelContext_1)->entryPointParams_0->a_3.groups_0;
    }
    return;
}

