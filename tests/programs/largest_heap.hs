-- | The largest heap, from events of one class: in the order of the file, or of time.
module Main (main) where

import Data.Word (Word64)
import Hectic
import qualified Hectic.Payload as P
import System.Environment (getArgs)

main :: IO ()
main = do
  [order, file] <- getArgs
  most <- case order of
    "file" -> foldFile selected step 0 file
    _ -> withLog file (foldEvents selected step 0)
  print most
 where
  selected = everything{classes = [GcEvents]}

step :: Word64 -> Event -> IO Word64
step most event = case payload event of
  P.HeapSize{P.bytes = size} -> pure (max most size)
  _ -> pure most
