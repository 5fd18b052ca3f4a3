module github.com/nettrace-go/nettrace/view/browser

go 1.26.0

require (
	github.com/chromedp/cdproto v0.159.0
	github.com/chromedp/chromedp v0.23.0
	github.com/nettrace-go/nettrace v0.1.0
	github.com/nettrace-go/nettrace/codec v0.1.0
)

require (
	github.com/go-json-experiment/json v0.0.0-20260213210345-44df1a37e875 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
)

replace github.com/nettrace-go/nettrace => ../..

replace github.com/nettrace-go/nettrace/codec => ../../codec
