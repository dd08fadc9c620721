-- The smallest program there is.
module Main (main) where

main :: IO ()
main = return ()
