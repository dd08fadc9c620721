{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE GADTs #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE TypeOperators #-}
-- Closures of many types: type variables, functions, tuples, operators, existentials, dictionaries.
module Main (main) where

import Control.Monad (foldM_)
import Data.Ratio
import qualified Data.Set as Set

data a :*: b = a :*: !b
data Any = forall a. (Show a, Ord a) => Any a [a]
newtype Church = Church (forall r. (Int -> r -> r) -> r -> r)
data Term t where
    Number :: Int -> Term Int
    Pair :: Term a -> Term b -> Term (a, b)
    If :: Term Bool -> Term a -> Term a -> Term a
    Less :: Term Int -> Term Int -> Term Bool
data Tree f a = Leaf | Node (f (Tree f a)) a

value :: Term t -> t
value (Number n) = n
value (Pair a b) = (value a, value b)
value (If c a b) = if value c then value a else value b
value (Less a b) = value a < value b

tree :: Int -> Tree Maybe Integer
tree 0 = Leaf
tree n = Node (Just (tree (n - 1))) (toInteger n * 12345678901234567890)

weight :: Tree Maybe Integer -> Integer
weight Leaf = 0
weight (Node below n) = n + maybe 0 weight below

step :: [Any] -> Int -> IO [Any]
step old n = do
    let pairs = [k :*: (fromIntegral k % 3 :: Ratio Int) | k <- [1 .. 3000]]
        church = Church (\f r -> foldr f r [1 .. n])
        apply (Church c) = c (+) 0
        term = If (Less (Number n) (Number 5)) (Pair (Number 1) (Number n)) (Pair (Number n) (Number 2))
        new = Any (apply church) (map (\(k :*: _) -> k) pairs)
        rest = Any (Set.fromList (show n)) [] : Any (value term, 'x') [((1, n), 'y')] : take 5 old
    print (sum [numerator r | _ :*: r <- pairs], weight (tree 2000))
    print (sum (map (\(Any a as) -> length (show a) + length as) old))
    return (new : rest)

main :: IO ()
main = foldM_ step [] [1 .. 300]
