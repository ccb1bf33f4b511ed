#ifndef BLOCKX_SIM_MATH_H_
#define BLOCKX_SIM_MATH_H_

namespace blockx::sim {

// Transcendental functions with the same bits on every machine. Those of the C library depend on
// the processor; these use only IEEE additions, multiplications, divisions and comparisons, in a
// fixed order. They need a compiler that fuses none of them (-ffp-contract=off). Special values as
// in the C library; errno and floating-point flags are not touched on purpose.

// Natural logarithm, within 1 ulp. Zero gives -infinity, below zero NaN.
double Log(double x);

// log(1 + x) without loss for small x, within 4 ulp. x > -1.
double Log1p(double x);

// Within 1 ulp where the result is a normal number. Overflow gives infinity, underflow goes through
// the subnormals to 0.
double Exp(double x);

// x to the power y for x >= 0, as Exp(y * Log(x)): the relative error is up to (1 + |y * Log(x)|) *
// 2^-52, so it grows with the size of the result's logarithm. Good enough for sampling and moments,
// not for accounting. y = 0 gives 1.
double Pow(double x, double y);

// (e^x - 1) / x, continued to 1 at 0. Takes the singularity out of moments that have 0/0 at some
// parameter.
double ExpM1OverX(double x);

// Euler's gamma function for x > 0, relative error below 2e-13; infinity where a double cannot hold
// it (x above 171.6).
double GammaFunction(double x);

}  // namespace blockx::sim

#endif  // BLOCKX_SIM_MATH_H_
