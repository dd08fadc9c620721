-- Is killed by SIGKILL while its log is being written: the log stops inside an event.
module Main (main) where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Monad (forM_, void)
import Debug.Trace (traceEventIO)
import Foreign.C.String (CString, withCString)
import Foreign.C.Types (CSize (..))

foreign import ccall safe "log_until_killed" logUntilKilled :: CString -> CSize -> IO ()

main :: IO ()
main = do
    withCString "killed.eventlog" (\path -> logUntilKilled path 12001)
    forM_ [1 .. 200 :: Int] $ \number -> do
        done <- newEmptyMVar
        void (forkIO (traceEventIO ("message " ++ show number) >> putMVar done ()))
        takeMVar done
