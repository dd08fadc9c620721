-- The smallest program.
module Main (main) where

main :: IO ()
main = return ()
