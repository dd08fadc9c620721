-- | The states of a thread.
module GHC.RTS.Events.Analysis.Thread
  ( ThreadState (..)
  , threadMachine
  ) where

import GHC.RTS.EventTypes
import GHC.RTS.Events.Analysis

data ThreadState
  = ThreadInitial
  | ThreadQueued
  | ThreadRunning
  | ThreadStopped
  | ThreadFinal
  deriving (Eq, Ord, Show)

threadMachine :: Machine ThreadState EventInfo
threadMachine = Machine ThreadInitial (== ThreadFinal) isInput next
 where
  isInput info = case info of
    CreateThread{} -> True
    RunThread{} -> True
    StopThread{} -> True
    WakeupThread{} -> True
    _ -> False
  next state info = case (state, info) of
    (ThreadInitial, CreateThread{}) -> Just ThreadQueued
    (ThreadQueued, RunThread{}) -> Just ThreadRunning
    (ThreadQueued, WakeupThread{}) -> Just ThreadQueued
    (ThreadRunning, StopThread{status = reason}) -> Just (after reason)
    (ThreadStopped, RunThread{}) -> Just ThreadRunning
    (ThreadStopped, WakeupThread{}) -> Just ThreadQueued
    _ -> Nothing
  after reason = case reason of
    StackOverflow{} -> ThreadQueued
    HeapOverflow -> ThreadQueued
    ForeignCall -> ThreadQueued
    ThreadFinished -> ThreadFinal
    _ -> ThreadStopped
