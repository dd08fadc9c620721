-- Ends its log and begins another one after it: a file with two headers. With the argument "as-it-is"
-- the second header is inside a block, as GHC 9.0 writes it.
module Main (main) where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Monad (forM_, void)
import Debug.Trace (traceEventIO)
import Foreign.C.String (CString, withCString)
import Foreign.C.Types (CInt (..))
import System.Environment (getArgs)

foreign import ccall safe "append_new_log" appendNewLog :: CString -> CInt -> IO ()

main :: IO ()
main = do
    work "before"
    asItIs <- elem "as-it-is" <$> getArgs
    withCString "restarted.eventlog" $ \path -> appendNewLog path (if asItIs then 1 else 0)
    work "after"

work :: String -> IO ()
work name = forM_ [1 .. 5 :: Int] $ \number -> do
    done <- newEmptyMVar
    void (forkIO (traceEventIO (name ++ " " ++ show number) >> putMVar done ()))
    takeMVar done
