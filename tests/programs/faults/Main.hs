-- Programs with one known fault each, and healthy ones: faults NAME SECONDS [TRACED]. `table` beside this file
-- has what the verdict must say about them.
module Main (main) where

import qualified Blocking
import qualified Collections
import qualified Healthy
import qualified Leaks
import qualified Others
import qualified Sparks
import System.Environment (getArgs)

main :: IO ()
main = do
    name : seconds : _ <- getArgs
    let programs = concat
            [ Leaks.programs
            , Blocking.programs
            , Collections.programs
            , Sparks.programs
            , Healthy.programs
            , Others.programs
            ]
    maybe (error "faults: which?") ($ read seconds) (lookup name programs)
