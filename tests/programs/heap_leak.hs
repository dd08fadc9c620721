-- Leaks: sums that nobody needs yet, a list that grows, a cache from which nothing is removed.
module Main (main) where

import Control.Monad (forM_, when)
import Data.IORef
import qualified Data.Map as Map

data Größe = Größe {höhe :: Int, name :: String}

größer :: Größe -> Größe
größer (Größe h n) = {-# SCC "größer_als_λ" #-} Größe (h + 1) ('→' : n)

remember :: IORef (Map.Map Int Größe) -> Int -> IO ()
remember cache key =
    modifyIORef cache ({-# SCC "помнить" #-} Map.insertWith (\_ old -> größer old) (key `mod` 6007) new)
  where
    new = {-# SCC "new" #-} Größe key (show key)

main :: IO ()
main = do
    total <- newIORef (0 :: Integer)
    seen <- newIORef []
    cache <- newIORef Map.empty
    forM_ [1 .. 60000] $ \n -> do
        modifyIORef total (+ toInteger n)
        modifyIORef' seen ([n, n + 1] :)
        remember cache n
        when (n `mod` 15000 == 0) $ do
            known <- readIORef cache
            print (Map.size known, sum (map höhe (Map.elems known)))
    readIORef total >>= print
    readIORef seen >>= print . sum . map length
    readIORef cache >>= print . sum . map (length . name) . Map.elems
