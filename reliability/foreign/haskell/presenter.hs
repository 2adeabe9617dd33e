{-# LANGUAGE OverloadedStrings #-}
import Control.Concurrent (threadDelay)
import Control.Monad (forever)
import DBus
import DBus.Client
import qualified Data.Map as Map
import Data.Word (Word64)
import System.IO

type Values = Map.Map String Variant

text :: String -> Values -> String
text name values = maybe "" id (Map.lookup name values >>= fromVariant)

present :: ObjectPath -> String -> Values -> Values -> IO Values
present _ _ arguments details = do
    putStrLn ("present " ++ text "reason" details)
    return (Map.fromList [("visible", toVariant True), ("title", toVariant (text "label" arguments))])

withdraw :: ObjectPath -> Word64 -> String -> IO ()
withdraw _ number reason = putStrLn ("withdrawn " ++ show number ++ " " ++ reason)

main :: IO ()
main = do
    hSetBuffering stdout LineBuffering
    hSetEncoding stdout utf8
    bus <- connectSession
    export bus "/org/example/Foreign" defaultInterface
        { interfaceName = "org.flowbus.Navigation1.Presenter"
        , interfaceMethods = [autoMethod "Present" present, autoMethod "Withdraw" withdraw, autoMethod "Alive" (putStrLn "alive")] }
    _ <- requestName bus "org.example.Foreign" []
    putStrLn "ready"
    forever (threadDelay maxBound)
