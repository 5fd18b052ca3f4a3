package main

func situations() []made { return nil }
