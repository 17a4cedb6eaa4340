// Algebraic laws of CSP. X, Y, Z stand for any processes; A, B, C for sets of events; e, f for events. Both sides are
// equal in the failures-divergences model, and so in the weaker ones.
#pragma once

namespace heddle::csp {

struct Law {
  const char* left;
  const char* right;
};

// clang-format off
inline constexpr Law kLaws[] = {
    // Choice: idempotent, commutative, associative, with its unit; distribution over |~|.
    {"X [] X", "X"}, {"X [] Y", "Y [] X"}, {"(X [] Y) [] Z", "X [] (Y [] Z)"}, {"X [] STOP", "X"}, {"STOP [] X", "X"},
    {"X |~| X", "X"}, {"X |~| Y", "Y |~| X"}, {"(X |~| Y) |~| Z", "X |~| (Y |~| Z)"},
    {"X [] (Y |~| Z)", "(X [] Y) |~| (X [] Z)"}, {"X |~| (Y [] Z)", "(X |~| Y) [] (X |~| Z)"},
    {"(X |~| Y) [] Z", "(X [] Z) |~| (Y [] Z)"}, {"X [] DIV", "DIV"}, {"X |~| DIV", "DIV"}, {"DIV [] X", "DIV"},
    // Prefix.
    {"e -> (X |~| Y)", "(e -> X) |~| (e -> Y)"}, {"(e -> X) [] (e -> Y)", "e -> (X |~| Y)"},
    {"(e -> X) [] (e -> Y)", "(e -> X) |~| (e -> Y)"}, {"e -> X", "[] g : {e} @ g -> X"},
    {"(e -> X) [] (f -> Y)", "[] p : {0,1} @ if p == 0 then e -> X else f -> Y"},
    {"(e -> X) |~| (f -> Y)", "|~| p : {0,1} @ if p == 0 then e -> X else f -> Y"},
    // Sliding choice.
    {"X [> Y", "(X |~| STOP) [] Y"}, {"STOP [> X", "X"}, {"X [> X", "X [> X [> X"}, {"(X [> Y) [> Z", "X [> (Y [> Z)"},
    {"X [> (Y |~| Z)", "(X [> Y) |~| (X [> Z)"}, {"(X |~| Y) [> Z", "(X [> Z) |~| (Y [> Z)"},
    {"(X [] Y) [> Z", "X [> (Y [> Z)"}, {"X [> DIV", "DIV"}, {"(e -> X) [> STOP", "(e -> X) |~| STOP"},
    {"(X [> Y) [] Z", "X [> (Y [] Z)"},
    // Guards and conditionals.
    {"true & X", "X"}, {"false & X", "STOP"}, {"if true then X else Y", "X"}, {"if false then X else Y", "Y"},
    // Sequence.
    {"SKIP ; X", "X"}, {"STOP ; X", "STOP"}, {"DIV ; X", "DIV"}, {"(X ; Y) ; Z", "X ; (Y ; Z)"},
    {"X ; SKIP", "X |~| X ; SKIP"}, {"(e -> X) ; Y", "e -> (X ; Y)"}, {"(X |~| Y) ; Z", "(X ; Z) |~| (Y ; Z)"},
    {"X ; (Y |~| Z)", "(X ; Y) |~| (X ; Z)"}, {"(SKIP [] e -> X) ; Y", "(e -> (X ; Y)) [> Y"},
    {"; i : <1,2> @ X", "X ; X"}, {"; i : <> @ X", "SKIP"},
    {"(e -> X [] f -> Y) ; Z", "e -> (X ; Z) [] f -> (Y ; Z)"},
    // Interleaving.
    {"X ||| Y", "Y ||| X"}, {"(X ||| Y) ||| Z", "X ||| (Y ||| Z)"}, {"X ||| SKIP", "X"}, {"SKIP ||| X", "X"},
    {"(X |~| Y) ||| Z", "(X ||| Z) |~| (Y ||| Z)"}, {"X ||| DIV", "DIV"},
    {"(e -> X) ||| (f -> Y)", "e -> (X ||| f -> Y) [] f -> ((e -> X) ||| Y)"},
    {"(e -> X) ||| STOP", "e -> (X ||| STOP)"}, {"||| i : {1,2} @ X", "X ||| X"}, {"||| i : {} @ X", "SKIP"},
    {"||| i : {1} @ X", "X"}, {"X ||| STOP", "(X ||| STOP) ||| STOP"}, {"X ||| STOP", "X ||| SKIP ; STOP"},
    // Synchronised parallel.
    {"X [| A |] Y", "Y [| A |] X"}, {"(X [| A |] Y) [| A |] Z", "X [| A |] (Y [| A |] Z)"},
    {"X [| {} |] Y", "X ||| Y"}, {"(X |~| Y) [| A |] Z", "(X [| A |] Z) |~| (Y [| A |] Z)"},
    {"SKIP [| A |] SKIP", "SKIP"}, {"DIV [| A |] X", "DIV"}, {"STOP [| A |] STOP", "STOP"},
    {"(e -> X) [| {e} |] (e -> Y)", "e -> (X [| {e} |] Y)"},
    {"(e -> X) [| {e,f} |] (f -> Y)", "if e == f then e -> (X [| {e,f} |] Y) else STOP"},
    {"(e -> X) [| {e} |] STOP", "STOP"}, {"(e -> X) [| {e} |] SKIP", "STOP"},
    {"(e -> X) [| {} |] (e -> Y)", "e -> (X ||| e -> Y) [] e -> ((e -> X) ||| Y)"},
    {"[| A |] i : {1,2} @ X", "X [| A |] X"}, {"[| A |] i : {1,2,3} @ X", "X [| A |] (X [| A |] X)"},
    {"[| A |] i : {} @ X", "SKIP"}, {"X [| {a,b,c} |] RUN({a,b,c})", "X ; STOP |~| (X [| {a,b,c} |] RUN({a,b,c}))"},
    {"X [| A |] (Y |~| Z)", "(X [| A |] Y) |~| (X [| A |] Z)"},
    {"(X ||| Y) [| A |] STOP", "(X [| A |] STOP) ||| (Y [| A |] STOP) ||| STOP"},
    // Alphabetised parallel.
    {"X [ A || B ] Y", "Y [ B || A ] X"}, {"(X |~| Y) [ A || B ] Z", "(X [ A || B ] Z) |~| (Y [ A || B ] Z)"},
    {"X [ {a,b,c} || {a,b,c} ] Y", "X [| {a,b,c} |] Y"}, {"X [ {a,b,c} || {} ] SKIP", "X"},
    {"X [ A || B ] Y", "|| i : {0,1} @ [if i == 0 then A else B] (if i == 0 then X else Y)"},
    {"(X [ A || B ] Y) [ union(A,B) || C ] Z", "X [ A || union(B,C) ] (Y [ B || C ] Z)"},
    {"STOP [ A || B ] STOP", "STOP"}, {"SKIP [ A || B ] SKIP", "SKIP"},
    {"X [ A || B ] Y", "(X [ A || A ] X [| {a,b,c} |] X [ A || B ] Y) |~| (X [ A || B ] Y)"},
    // Hiding.
    {"X \\ {}", "X"}, {"(X \\ A) \\ B", "X \\ union(A,B)"}, {"(X \\ A) \\ B", "(X \\ B) \\ A"},
    {"(X |~| Y) \\ A", "(X \\ A) |~| (Y \\ A)"}, {"(e -> X) \\ {e}", "X \\ {e}"}, {"(e -> X) \\ {}", "e -> X"},
    {"(X ; Y) \\ A", "(X \\ A) ; (Y \\ A)"}, {"(X ||| Y) \\ A", "(X \\ A) ||| (Y \\ A)"}, {"SKIP \\ A", "SKIP"},
    {"STOP \\ A", "STOP"}, {"X |\\ {a,b,c}", "X"}, {"X |\\ A", "X \\ diff({a,b,c}, A)"},
    {"(X [| A |] Y) \\ diff(B, A)", "(X \\ diff(B, A)) [| A |] (Y \\ diff(B, A))"},
    {"((e -> X) [] (f -> Y)) \\ {e}", "if e == f then (X |~| Y) \\ {e} else (X \\ {e}) [] (f -> (Y \\ {e})) |~| (X \\ {e})"},
    {"(X [> Y) \\ A", "(X \\ A) [> (Y \\ A) |~| (X [> Y) \\ A"}, {"DIV \\ A", "DIV"},
    // Renaming.
    {"X[[a <- a]]", "X"}, {"(X |~| Y)[[a <- b]]", "X[[a <- b]] |~| Y[[a <- b]]"},
    {"(X [] Y)[[a <- b]]", "X[[a <- b]] [] Y[[a <- b]]"}, {"(X ; Y)[[a <- b]]", "X[[a <- b]] ; Y[[a <- b]]"},
    {"(X ||| Y)[[a <- b]]", "X[[a <- b]] ||| Y[[a <- b]]"}, {"(a -> X)[[a <- b]]", "b -> X[[a <- b]]"},
    {"(b -> X)[[a <- b]]", "b -> X[[a <- b]]"}, {"X[[a <- b, b <- a]][[a <- b, b <- a]]", "X"},
    {"X[[a <- b, b <- c, c <- a]][[b <- a, c <- b, a <- c]]", "X"}, {"SKIP[[a <- b]]", "SKIP"}, {"STOP[[a <- b]]", "STOP"},
    {"X[[a <- b]][[b <- c]]", "X[[a <- c, b <- c]]"}, {"(a -> X)[[a <- b, a <- c]]", "b -> X[[a <- b, a <- c]] [] c -> X[[a <- b, a <- c]]"},
    {"(X \\ {c})[[a <- b]]", "X[[a <- b]] \\ {c}"}, {"X[[a <- b, b <- a]] \\ {a}", "(X \\ {b})[[a <- b, b <- a]]"},
    {"X[[g <- g | g <- {a,b,c}]]", "X"}, {"(X [| {a,b} |] Y)[[a <- b, b <- a]]", "X[[a <- b, b <- a]] [| {a,b} |] Y[[a <- b, b <- a]]"},
    {"DIV[[a <- b]]", "DIV"}, {"(X /\\ Y)[[a <- b]]", "X[[a <- b]] /\\ Y[[a <- b]]"},
    // Interrupt.
    {"STOP /\\ X", "X"}, {"X /\\ STOP", "X"}, {"(X /\\ Y) /\\ Z", "X /\\ (Y /\\ Z)"},
    {"(e -> X) /\\ Y", "Y [] (e -> (X /\\ Y))"}, {"(X |~| Y) /\\ Z", "(X /\\ Z) |~| (Y /\\ Z)"},
    {"X /\\ (Y |~| Z)", "(X /\\ Y) |~| (X /\\ Z)"}, {"DIV /\\ X", "DIV"}, {"X /\\ DIV", "DIV"},
    {"SKIP /\\ X", "SKIP [] X"}, {"SKIP /\\ SKIP", "SKIP"},
    // Exceptions.
    {"X [| {} |> Y", "X"}, {"STOP [| A |> X", "STOP"}, {"SKIP [| A |> X", "SKIP"}, {"DIV [| A |> X", "DIV"},
    {"(e -> X) [| {e} |> Y", "e -> Y"}, {"(e -> X) [| {} |> Y", "e -> (X [| {} |> Y)"},
    {"(X |~| Y) [| A |> Z", "(X [| A |> Z) |~| (Y [| A |> Z)"}, {"(X [] Y) [| A |> Z", "(X [| A |> Z) [] (Y [| A |> Z)"},
    {"X [| A |> (Y |~| Z)", "(X [| A |> Y) |~| (X [| A |> Z) |~| (X [| A |> (Y |~| Z))"},
    {"(X [| A |> Y) [| A |> Z", "X [| A |> (Y [| A |> Z) |~| (X [| A |> Y) [| A |> Z"},
    // Compressions are the identity.
    {"sbisim(X)", "X"}, {"normal(X)", "X"}, {"diamond(X ||| Y)", "X ||| Y"}, {"wbisim(X) \\ A", "X \\ A"},
    {"sbisim(X) [| A |] sbisim(Y)", "sbisim(X [| A |] Y)"}, {"tau_loop_factor(X [> Y)", "X [> Y"},
    // Functions, lambda, let: what is bound is what is written.
    {"let P = X within P", "X"}, {"(\\ p @ p)(X)", "X"}, {"let k(p,q) = p [] q within k(X,Y)", "X [] Y"},
    {"let (p,q) = (e,f) within p -> q -> X", "e -> f -> X"}, {"let k(0) = X\n k(1) = Y\n within k(1)", "Y"},
    {"[] g : {g' | g' <- {a,b,c}, g' == e} @ g -> X", "e -> X"}, {"[] i : set(<1,1,2>) @ X", "X"},
    // Step laws of parallel on general prefixes.
    {"(e -> X) [| {e,f} |] (e -> Y [] f -> Z)", "if e == f then e -> (X [| {e,f} |] (Y |~| Z)) else e -> (X [| {e,f} |] Y)"},
    {"(e -> X [] f -> Y) [| {} |] SKIP", "e -> X [] f -> Y"},
    {"(e -> SKIP) ||| (f -> SKIP)", "e -> f -> SKIP [] f -> e -> SKIP"},
    {"(e -> STOP) [| {e} |] (e -> f -> STOP)", "if e == f then e -> STOP else e -> f -> STOP"},
    {"CHAOS({a,b,c})", "CHAOS({a,b,c}) |~| STOP"}, {"RUN({a,b})", "RUN({a}) ||| RUN({b})"}, {"RUN({})", "STOP"},
    {"CHAOS({})", "STOP"}, {"CHAOS({a,b})", "CHAOS({a}) ||| CHAOS({b})"}, {"RUN(A) [| A |] RUN(A)", "RUN(A)"},
    {"loop(e -> SKIP)", "e -> loop(e -> SKIP)"},
    // More of choice and sliding choice.
    {"X [] (Y [] X)", "X [] Y"}, {"X |~| (Y |~| X)", "X |~| Y"}, {"(X |~| STOP) [] X", "X"}, {"X [> X", "X"},
    {"X [> Y", "(X [] Y) |~| Y"}, {"(X [> Y) |~| Y", "X [> Y"}, {"X [> (X [> Y)", "X [> Y"},
    {"X [> (Y [] Z)", "(X [] Z) [> (Y [] Z)"}, {"(e -> X) [> (e -> Y)", "e -> (X |~| Y)"}, {"DIV [> X", "DIV"},
    {"(X [> Y) [> Y", "X [> Y"}, {"(X |~| Y) [> (X |~| Y)", "X |~| Y"}, {"SKIP [] SKIP", "SKIP"}, {"SKIP |~| SKIP", "SKIP"},
    {"(X [] Y) |~| (X [] Y)", "X [] Y"}, {"(X |~| Y) [] (X |~| Y)", "(X |~| Y) |~| (X [] Y)"},
    {"(e -> X) [] (e -> X)", "e -> X"}, {"(e -> X) |~| (e -> X)", "e -> X"}, {"e -> DIV", "e -> (X |~| DIV)"},
    {"(X |~| Y) |~| (Y |~| Z)", "X |~| (Y |~| Z)"}, {"(X [] Y) [] (Y [] Z)", "X [] (Y [] Z)"},
    // More of sequence.
    {"(SKIP [] X) ; Y", "(X ; Y) [> Y"}, {"(X |~| SKIP) ; Y", "(X ; Y) |~| Y"}, {"X ; (Y ; SKIP)", "(X ; Y) ; SKIP"},
    {"(e -> SKIP) ; X", "e -> X"}, {"(e -> f -> SKIP) ; X", "e -> f -> X"}, {"(X ; STOP) ; Y", "X ; STOP"},
    {"(X ; DIV) ; Y", "X ; DIV"}, {"SKIP ; SKIP", "SKIP"}, {"(e -> STOP) ; X", "e -> STOP"}, {"SKIP ; STOP", "STOP"},
    {"SKIP ; DIV", "DIV"}, {"(true & e -> X) ; Y", "e -> (X ; Y)"}, {"(X ||| STOP) ; Y", "X ||| STOP"},
    {"(X ; STOP) |~| (Y ; STOP)", "(X |~| Y) ; STOP"}, {"((e -> X) [] (f -> Y)) ; STOP", "(e -> (X ; STOP)) [] (f -> (Y ; STOP))"},
    // More of interleaving and parallel.
    {"STOP ||| STOP", "STOP"}, {"SKIP ||| SKIP", "SKIP"}, {"SKIP ||| STOP", "STOP"}, {"X ||| STOP", "X ; STOP"},
    {"DIV ||| DIV", "DIV"}, {"(e -> X) ||| SKIP", "e -> X"}, {"(e -> X) ||| DIV", "DIV"},
    {"X ||| (Y |~| Z)", "(X ||| Y) |~| (X ||| Z)"}, {"(X ||| Y) ||| (Z ||| SKIP)", "X ||| (Y ||| Z)"},
    {"(e -> X) [| {a,b,c} |] STOP", "STOP"}, {"(e -> X) [| {a,b,c} |] SKIP", "STOP"}, {"X [| A |] DIV", "DIV"},
    {"(e -> X) [| {a,b,c} |] (e -> Y)", "e -> (X [| {a,b,c} |] Y)"}, {"X [| {a,b,c} |] RUN({a,b,c})", "X ; STOP"},
    {"X ||| RUN({})", "X ; STOP"}, {"X [| A |] RUN(A)", "X ; STOP"}, {"X [ {a,b,c} || A ] RUN(A)", "X ; STOP"},
    {"(e -> X) [| diff({a,b,c},{e}) |] STOP", "e -> (X [| diff({a,b,c},{e}) |] STOP)"}, {"SKIP [| A |] STOP", "STOP"},
    {"(e -> X) [| {f} |] (f -> Y)", "if e == f then e -> (X [| {f} |] Y) else e -> (X [| {f} |] (f -> Y))"},
    {"(X |~| Y) [| A |] (Z |~| X)", "(X [| A |] Z) |~| (X [| A |] X) |~| (Y [| A |] Z) |~| (Y [| A |] X)"},
    {"(X [| A |] Y) |~| (X [| A |] Z)", "X [| A |] (Y |~| Z)"}, {"(e -> X) [| {e} |] (e -> STOP)", "e -> (X [| {e} |] STOP)"},
    {"(e -> X) [ {e} || {e} ] (e -> Y)", "e -> (X [ {e} || {e} ] Y)"}, {"(e -> X) [ {} || A ] STOP", "STOP"},
    {"(e -> X) [ {e} || {f} ] (f -> Y)",
     "if e == f then e -> (X [ {e} || {f} ] Y) else e -> (X [ {e} || {f} ] (f -> Y)) [] f -> ((e -> X) [ {e} || {f} ] Y)"},
    {"X [ A || B ] (Y |~| Z)", "(X [ A || B ] Y) |~| (X [ A || B ] Z)"}, {"DIV [ A || B ] X", "DIV"}, {"X [ A || B ] DIV", "DIV"},
    {"|| i : {0} @ [{a,b,c}] X", "X"}, {"|| i : {} @ [A] X", "SKIP"}, {"SKIP [ A || B ] STOP", "STOP"},
    {"|| i : {0,1,2} @ [{a,b,c}] X", "X [| {a,b,c} |] (X [| {a,b,c} |] X)"},
    // More of hiding and projection.
    {"(e -> X) \\ {f}", "if e == f then X \\ {f} else e -> (X \\ {f})"}, {"(X \\ A) \\ A", "X \\ A"},
    {"(X [] Y) \\ {}", "X [] Y"}, {"(X /\\ Y) \\ {}", "X /\\ Y"}, {"(X [| A |> Y) \\ {}", "X [| A |> Y"},
    {"((e -> X) ||| Y) \\ {e}", "(X ||| Y) \\ {e}"}, {"(X \\ A) |\\ B", "X |\\ diff(B, A)"},
    {"(X |\\ A) |\\ B", "X |\\ inter(A, B)"}, {"(X |\\ A) \\ B", "X |\\ diff(A, B)"}, {"X |\\ {}", "X \\ {a,b,c}"},
    {"(X |~| Y) |\\ A", "(X |\\ A) |~| (Y |\\ A)"}, {"STOP |\\ A", "STOP"}, {"SKIP |\\ A", "SKIP"}, {"DIV |\\ A", "DIV"},
    {"(X ||| Y) |\\ A", "(X |\\ A) ||| (Y |\\ A)"}, {"(X ; Y) |\\ A", "(X |\\ A) ; (Y |\\ A)"},
    {"(e -> X) |\\ {e}", "e -> (X |\\ {e})"}, {"(e -> X) |\\ diff({a,b,c},{e})", "X \\ {e}"},
    {"RUN(A) \\ A", "if empty(A) then STOP else DIV"}, {"RUN({a,b}) \\ {a}", "DIV"}, {"CHAOS(A) \\ {}", "CHAOS(A)"},
    {"(e -> f -> X) \\ {e,f}", "X \\ {e,f}"}, {"(e -> STOP) \\ {e}", "STOP"}, {"(e -> SKIP) \\ {e}", "SKIP"},
    {"(X [| A |] Y) \\ {}", "X [| A |] Y"}, {"((e -> X) [| {e} |] (e -> Y)) \\ {e}", "(X [| {e} |] Y) \\ {e}"},
    // More of renaming.
    {"(X [] Y)[[a <- b, b <- a]]", "X[[a <- b, b <- a]] [] Y[[a <- b, b <- a]]"},
    {"(X [> Y)[[a <- b]]", "X[[a <- b]] [> Y[[a <- b]]"}, {"X[[a <- b, b <- b]]", "X[[a <- b]]"},
    {"(X ||| Y)[[a <- b, a <- c]]", "X[[a <- b, a <- c]] ||| Y[[a <- b, a <- c]]"},
    {"(X ; Y)[[a <- b, a <- c]]", "X[[a <- b, a <- c]] ; Y[[a <- b, a <- c]]"},
    {"(X |~| Y)[[a <- b, a <- c]]", "X[[a <- b, a <- c]] |~| Y[[a <- b, a <- c]]"},
    {"(X [] Y)[[a <- b, a <- c]]", "X[[a <- b, a <- c]] [] Y[[a <- b, a <- c]]"},
    {"(X [| {a,b} |> Y)[[a <- b, b <- a]]", "X[[a <- b, b <- a]] [| {a,b} |> Y[[a <- b, b <- a]]"},
    {"(X [ {a,b} || {a,b,c} ] Y)[[a <- b, b <- a]]", "X[[a <- b, b <- a]] [ {a,b} || {a,b,c} ] Y[[a <- b, b <- a]]"},
    {"(X /\\ Y)[[a <- b, b <- a]]", "X[[a <- b, b <- a]] /\\ Y[[a <- b, b <- a]]"}, {"RUN({a})[[a <- b]]", "RUN({b})"},
    {"CHAOS({a})[[a <- b]]", "CHAOS({b})"}, {"(a -> X [] b -> Y)[[a <- b]]", "b -> (X[[a <- b]] |~| Y[[a <- b]])"},
    {"X[[a <- b]] \\ {b}", "X \\ {a,b}"}, {"(X \\ {a})[[a <- b]]", "X \\ {a}"}, {"X[[a <- a, b <- b, c <- c]]", "X"},
    {"X[[a <- b, a <- c]] \\ {b,c}", "X \\ {a,b,c}"}, {"(X |~| Y)[[a <- b, b <- a]]", "X[[a <- b, b <- a]] |~| Y[[a <- b, b <- a]]"},
    {"(X \\ {a,b})[[a <- b, b <- a]]", "X \\ {a,b}"}, {"(c -> X)[[a <- b]]", "c -> X[[a <- b]]"},
    // More of interrupts and exceptions.
    {"(X /\\ Y) |~| (Z /\\ Y)", "(X |~| Z) /\\ Y"}, {"STOP /\\ STOP", "STOP"}, {"SKIP /\\ STOP", "SKIP"},
    {"(e -> STOP) /\\ (f -> STOP)", "(f -> STOP) [] (e -> f -> STOP)"}, {"(X [] Y) /\\ Z", "(X /\\ Z) [] (Y /\\ Z)"},
    {"(e -> f -> STOP) /\\ X", "X [] (e -> (X [] (f -> X)))"}, {"(e -> X) /\\ STOP", "e -> X"},
    {"(e -> f -> X) [| {f} |> Y", "if e == f then e -> Y else e -> f -> Y"}, {"(X \\ A) [| A |> Y", "X \\ A"},
    {"(e -> X) [| A |> Y", "if member(e, A) then e -> Y else e -> (X [| A |> Y)"}, {"(X ||| STOP) [| {} |> Y", "X ; STOP"},
    {"(X [> Y) [| A |> Z", "(X [| A |> Z) [> (Y [| A |> Z)"}, {"RUN({a}) [| {a} |> X", "a -> X"},
    {"CHAOS({a}) [| {a} |> X", "STOP |~| (a -> X)"}, {"(e -> X) [| {e} |> STOP", "e -> STOP"},
    {"(e -> X) [| {e} |> SKIP", "e -> SKIP"}, {"(X [| A |> Y)[[a <- a]]", "X [| A |> Y"},
    // Synchronising choice and interrupt.
    {"X [+ {} +] Y", "X [] Y"}, {"X [+ A +] Y", "Y [+ A +] X"}, {"(e -> X) [+ {e} +] (e -> Y)", "e -> (X [+ {e} +] Y)"},
    {"(e -> X) [+ {e} +] STOP", "STOP"}, {"(X |~| Y) [+ A +] Z", "(X [+ A +] Z) |~| (Y [+ A +] Z)"},
    {"X /+ {} +\\ Y", "X /\\ Y"}, {"(e -> X) /+ {e} +\\ (e -> Y)", "e -> (X /+ {e} +\\ Y)"},
    {"(X |~| Y) /+ A +\\ Z", "(X /+ A +\\ Z) |~| (Y /+ A +\\ Z)"}, {"DIV [+ A +] X", "DIV"}, {"DIV /+ A +\\ X", "DIV"},
    // Guards and replicated operators.
    {"(true & X) [] (false & Y)", "X"}, {"(member(e, A) & X) [] (not member(e, A) & X)", "X"},
    {"if member(e, A) then X else X", "X"}, {"(false & X) |~| Y", "STOP |~| Y"}, {"[] i : {} @ X", "STOP"},
    {"[] i : {1} @ X", "X"}, {"[] i : {1,2,3} @ X", "X"}, {"|~| i : {1} @ X", "X"}, {"|~| i : {1,2} @ X", "X"},
    {"|~| i : {0,1} @ if i == 0 then X else Y", "X |~| Y"}, {"[] i : {0,1} @ if i == 0 then X else Y", "X [] Y"},
    {"||| i : {0,1} @ if i == 0 then X else Y", "X ||| Y"}, {"[| A |] i : {0,1} @ if i == 0 then X else Y", "X [| A |] Y"},
    {"; i : <0,1> @ if i == 0 then X else Y", "X ; Y"}, {"; i : <1> @ X", "X"}, {"||| i : {1,2,3} @ X", "X ||| (X ||| X)"},
    {"[] g : {a,b} @ g -> X", "(a -> X) [] (b -> X)"}, {"|~| g : {a,b} @ g -> X", "(a -> X) |~| (b -> X)"},
    {"[] i : {0,1}, j : {0,1}, i == j @ X", "X"}, {"; i : <1,2,3> @ e -> SKIP", "e -> e -> e -> SKIP"},
    // RUN, CHAOS, loop.
    {"CHAOS(A) |~| STOP", "CHAOS(A)"}, {"CHAOS(A) [] STOP", "CHAOS(A)"}, {"CHAOS(A) ||| STOP", "CHAOS(A)"},
    {"CHAOS(A) [| A |] CHAOS(A)", "CHAOS(A)"}, {"CHAOS(A) ; X", "CHAOS(A)"}, {"RUN(A) ; X", "RUN(A)"},
    {"RUN(A) [] STOP", "RUN(A)"}, {"RUN({a}) [] RUN({a})", "RUN({a})"}, {"RUN({a,b}) \\ {}", "RUN({a,b})"},
    {"CHAOS({a,b})", "CHAOS({a,b}) |~| RUN({a}) |~| RUN({b})"}, {"a -> RUN({a})", "RUN({a})"},
    {"RUN({a,b})", "[] g : {a,b} @ g -> RUN({a,b})"}, {"CHAOS({a})", "STOP |~| (a -> CHAOS({a}))"},
    {"RUN({a,b}) [| {a,b} |] RUN({a})", "RUN({a})"}, {"CHAOS(A) |~| CHAOS(A)", "CHAOS(A)"}, {"CHAOS(A) [] CHAOS(A)", "CHAOS(A)"},
    {"loop(e -> f -> SKIP)", "e -> f -> loop(e -> f -> SKIP)"}, {"loop(STOP)", "STOP"}, {"loop(e -> STOP)", "e -> STOP"},
    // More of functions and compressions.
    {"let k(p) = p [] STOP within k(X)", "X"}, {"(\\ p, q @ p |~| q)(X, Y)", "X |~| Y"},
    {"let k(<>) = STOP\n k(<p>^r) = p -> k(r)\n within k(<e,f>)", "e -> f -> STOP"},
    {"let k(0) = SKIP\n k(n) = e -> k(n-1)\n within k(3)", "e -> e -> e -> SKIP"}, {"sbisim(sbisim(X))", "X"},
    {"normal(X [] Y)", "normal(X) [] normal(Y)"}, {"diamond(X \\ A)", "X \\ A"}, {"wbisim(X ; Y)", "wbisim(X) ; wbisim(Y)"},
    {"normal(X) [> normal(Y)", "X [> Y"}, {"sbisim(X)[[a <- b]]", "X[[a <- b]]"}, {"tau_loop_factor(X \\ A)", "X \\ A"},
    {"diamond(X) [| A |] normal(Y)", "X [| A |] Y"}, {"normal(X) /\\ sbisim(Y)", "X /\\ Y"},
};

// Monotonicity: refining an operand refines the whole; X |~| Y is refined by X.
inline constexpr const char* kContexts[] = {
    "{} [] Z", "Z [] {}", "{} |~| Z", "{} ||| Z", "Z ||| {}", "{} [| A |] Z", "Z [| A |] {}", "{} [ A || B ] Z",
    "{} ; Z", "Z ; {}", "{} \\ A", "{} |\\ A", "({})[[a <- b, b <- a]]", "({})[[a <- b, a <- c]]", "{} /\\ Z", "Z /\\ {}",
    "{} [> Z", "Z [> {}", "{} [| A |> Z", "Z [| A |> {}", "e -> ({})", "sbisim({})", "let P = {} within P [] P",
    "({} \\ A) ||| Z", "({} ; Z) [| B |] Z", "({} [] Z) \\ B", "e -> f -> ({})", "({} ||| e -> SKIP) ; Z",
    "[] i : {1,2} @ ({})", "||| i : {1,2} @ ({})", "[| A |] i : {1,2} @ ({})", "|~| i : {1,2} @ ({})", "; i : <1,2> @ ({})",
};
// clang-format on

}  // namespace heddle::csp
