-- Deep and different stacks of cost centres: mutual recursion, local functions, operators, CAFs,
-- functions that are passed on and applied elsewhere.
module Main (main) where

import Control.Exception (evaluate)
import Control.Monad (forM_)
import Data.Char (isSpace)

primes :: [Int]
primes = sieve [2 ..]
  where
    sieve (p : rest) = p : sieve [n | n <- rest, n `mod` p /= 0]
    sieve [] = []

table :: [(Int, String)]
table = zip [1 ..] (map show primes)

isEven', isOdd' :: Int -> [Int] -> [Int]
isEven' 0 kept = kept
isEven' n kept = isOdd' (n - 1) (n : kept)
isOdd' 0 kept = kept
isOdd' n kept = isEven' (n - 1) (n * 2 : kept)

infixr 5 +/+
(+/+) :: [a] -> [a] -> [a]
[] +/+ ys = ys
(x : xs) +/+ ys = x : (xs +/+ ys)

data Expression = Literal Int | Expression :+ Expression | Expression :* Expression

expression, factor :: String -> (Expression, String)
expression text = case factor text of
    (left, '+' : rest) -> let (right, end) = expression rest in (left :+ right, end)
    other -> other
factor text = case span (`elem` "0123456789") (dropWhile isSpace text) of
    ("", '(' : rest) -> let (inner, end) = expression rest in continue inner (drop 1 end)
    (digits, rest) -> continue (Literal (read digits)) rest
  where
    continue left ('*' : rest) = let (right, end) = factor rest in (left :* right, end)
    continue left rest = (left, rest)

result :: Expression -> Integer
result (Literal n) = toInteger n
result (a :+ b) = result a + result b
result (a :* b) = result a * result b

twice :: (a -> a) -> a -> a
twice f = {-# SCC "twice" #-} f . f

main :: IO ()
main = do
    forM_ [1 .. 50] $ \n -> do
        let kept = twice (isEven' (n * 40)) [] +/+ map fst (take (n * 20) table)
        total <- evaluate (sum kept)
        print (total, last kept)
    forM_ [1 .. 40 :: Int] $ \n -> do
        let text = concat (replicate (n * 8) "(1+2*3)*4+") ++ "5"
        print (result (fst (expression text)))
    print (length (concatMap snd (take 500 table)))
