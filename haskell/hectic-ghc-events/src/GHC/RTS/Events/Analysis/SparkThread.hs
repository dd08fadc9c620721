-- | Threads that evaluate sparks.
module GHC.RTS.Events.Analysis.SparkThread
  ( SparkThreadState (..)
  , sparkThreadMachine
  , capabilitySparkThreadMachine
  , capabilitySparkThreadIndexer
  ) where

import Control.Monad (mfilter)
import Data.Map (Map)
import qualified Data.Map as M
import Data.Set (Set)
import qualified Data.Set as S

import GHC.RTS.EventTypes
import GHC.RTS.Events.Analysis

-- | The number: how many sparks it has begun before the present one.
data SparkThreadState
  = SparkThreadInitial
  | SparkThreadCreated
  | SparkThreadRunning Int
  | SparkThreadPaused Int
  | SparkThreadFinal
  deriving (Eq, Ord, Show)

sparkThreadMachine :: Machine SparkThreadState EventInfo
sparkThreadMachine = Machine SparkThreadInitial (== SparkThreadFinal) isInput next
 where
  isInput info = case info of
    RunThread{} -> True
    StopThread{} -> True
    _ -> isSpark info
  isSpark info = case info of
    SparkRun -> True
    SparkSteal{} -> True
    _ -> False
  next state info = case (state, info) of
    (SparkThreadInitial, RunThread{}) -> Just SparkThreadCreated
    (SparkThreadCreated, StopThread _ ThreadFinished) -> Just SparkThreadFinal
    (SparkThreadCreated, _) | isSpark info -> Just (SparkThreadRunning 0)
    (SparkThreadRunning _, StopThread _ ThreadFinished) -> Just SparkThreadFinal
    (SparkThreadRunning count, StopThread{}) -> Just (SparkThreadPaused count)
    (SparkThreadRunning count, _) | isSpark info -> Just (SparkThreadRunning (count + 1))
    (SparkThreadPaused count, RunThread{}) -> Just (SparkThreadRunning count)
    _ -> Nothing

-- | Which spark thread runs on each cap, and all spark threads.
capabilitySparkThreadMachine :: Machine (Map Int ThreadId, Set ThreadId) Event
capabilitySparkThreadMachine = Machine (M.empty, S.empty) (const False) isInput next
 where
  isInput event = case evSpec event of
    CreateSparkThread{} -> True
    RunThread{} -> True
    StopThread{} -> True
    _ -> False
  next (running, sparks) event = do
    on <- evCap event
    case evSpec event of
      CreateSparkThread t
        | t `S.member` sparks -> Nothing
        | otherwise -> Just (running, S.insert t sparks)
      RunThread t
        | on `M.member` running || t `elem` M.elems running -> Nothing
        | t `S.member` sparks -> Just (M.insert on t running, sparks)
      StopThread t _ -> Just (M.filter (/= t) running, sparks)
      _ -> Just (running, sparks)

capabilitySparkThreadIndexer :: (Map Int ThreadId, Set ThreadId) -> Event -> Maybe ThreadId
capabilitySparkThreadIndexer (running, sparks) event = case evSpec event of
  CreateThread t -> ifSpark t
  RunThread t -> ifSpark t
  StopThread t _ -> ifSpark t
  _ -> evCap event >>= (`M.lookup` running)
 where
  ifSpark = mfilter (`S.member` sparks) . Just
