package interactive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/gdamore/tcell/v2"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/terminal"
)

// Check returns why standard output cannot show a page, nil if it can.
func Check(stdout io.Writer) error {
	if !terminal.IsTerminal(stdout) {
		return ErrNoTerminal
	}
	name := os.Getenv("TERM")
	if name == "dumb" {
		return errors.New("the terminal is dumb (TERM=dumb)")
	}
	if _, err := tcell.NewScreen(); err != nil {
		return fmt.Errorf("the terminal %q is not known (TERM)", name)
	}
	if runtime.GOOS == "windows" {
		return nil
	}
	keyboard, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return errors.New("the terminal has no keyboard for this process")
	}
	return keyboard.Close()
}

// ErrNoTerminal is the error of Check for a file or a pipe.
var ErrNoTerminal = errors.New("standard output is no terminal")

// Run shows the page until ctx or the page ends. It restores the terminal then, in a panic
// too, and leaves the last screen on stdout.
func (p *Page) Run(ctx context.Context, stdout io.Writer, colors bool) error {
	width, height, err := p.onTerminal(ctx, colors)
	if err != nil {
		return err
	}
	s := terminal.Screen{Terminal: true, Width: width, Colors: colors}
	for _, line := range p.Shown(s, height-1) {
		if _, err := fmt.Fprintln(stdout, line); err != nil {
			return err
		}
	}
	if p.final != "" {
		_, err = fmt.Fprintln(stdout, s.Paint(terminal.Yellow, p.final))
	}
	return err
}

// onTerminal shows the page, and returns the size of the terminal at the end.
func (p *Page) onTerminal(ctx context.Context, colors bool) (width, height int, err error) {
	defer close(p.done)
	tcell.SetEncodingFallback(tcell.EncodingFallbackASCII)
	screen, err := tcell.NewScreen()
	if err != nil {
		return 0, 0, err
	}
	if err := screen.Init(); err != nil {
		return 0, 0, err
	}
	defer screen.Fini()
	for from, to := range fallbacks {
		screen.RegisterRuneFallback(from, to)
	}
	width, height = p.loop(ctx, screen, colors)
	return width, height, nil
}

// loop shows the page on a screen, and returns the size of the screen at the end.
func (p *Page) loop(ctx context.Context, screen tcell.Screen, colors bool) (width, height int) {
	events, quit := make(chan tcell.Event), make(chan struct{})
	defer close(quit)
	go screen.ChannelEvents(events, quit)
	for !p.quit && ctx.Err() == nil {
		p.paint(screen, colors)
		select {
		case <-ctx.Done():
		case change := <-p.posts:
			change()
		case event := <-events:
			p.handle(screen, event)
		}
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		p.final = context.Cause(ctx).Error()
	}
	p.help, p.prompt, p.left = false, nil, 0
	return screen.Size()
}

// handle handles an event of the terminal.
func (p *Page) handle(screen tcell.Screen, event tcell.Event) {
	switch e := event.(type) {
	case *tcell.EventResize:
		screen.Sync()
	case *tcell.EventKey:
		switch name := keyName(e); name {
		case "":
		case "ctrl-l":
			screen.Sync()
		case "ctrl-z":
			suspend(screen)
		default:
			p.Key(name)
		}
	case *tcell.EventError, nil: // the terminal was closed
		p.quit = true
	}
}

// Post calls f in the goroutine of the page, which then shows the page again. It does
// nothing after the page has ended.
func (p *Page) Post(f func()) {
	select {
	case p.posts <- f:
	case <-p.done:
	}
}

// Go calls f in a goroutine of its own. A panic in f ends the page, so that the terminal is
// restored.
func (p *Page) Go(f func()) {
	go func() {
		defer func() {
			if value := recover(); value != nil {
				stack := debug.Stack()
				p.Post(func() { panic(fmt.Sprintf("%v\n%s", value, stack)) })
			}
		}()
		f()
	}()
}
