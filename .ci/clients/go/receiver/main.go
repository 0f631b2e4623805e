// Command receiver verifies and reads deliveries of webhooks with a published package, with which Argo CD does so, too. The
// tests run it. It prints its address first, and then one line of JSON for each delivery. It ends with the process that started it.
//
//	receiver SECRET
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/go-playground/webhooks/v6/gitea"
	"github.com/go-playground/webhooks/v6/gogs"
)

type delivery struct {
	Family  string `json:"family"`
	Event   string `json:"event"`
	Type    string `json:"type"`
	Error   string `json:"error"`
	Payload any    `json:"payload"`
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	secret := os.Args[1]
	ofGitea, err := gitea.New(gitea.Options.Secret(secret))
	check(err)
	ofGogs, err := gogs.New(gogs.Options.Secret(secret))
	check(err)
	giteaEvents := []gitea.Event{
		gitea.CreateEvent, gitea.DeleteEvent, gitea.ForkEvent, gitea.IssuesEvent, gitea.IssueCommentEvent,
		gitea.PushEvent, gitea.PullRequestEvent, gitea.RepositoryEvent, gitea.ReleaseEvent,
	}
	gogsEvents := []gogs.Event{
		gogs.CreateEvent, gogs.DeleteEvent, gogs.ForkEvent, gogs.IssuesEvent, gogs.IssueCommentEvent,
		gogs.PushEvent, gogs.PullRequestEvent, gogs.ReleaseEvent,
	}
	parsers := map[string]func(*http.Request) (any, error){
		"gitea": func(r *http.Request) (any, error) { return ofGitea.Parse(r, giteaEvents...) },
		"gogs":  func(r *http.Request) (any, error) { return ofGogs.Parse(r, gogsEvents...) },
	}
	var printing sync.Mutex
	out := json.NewEncoder(os.Stdout)
	for family, parse := range parsers {
		http.HandleFunc("/"+family, func(w http.ResponseWriter, r *http.Request) {
			payload, err := parse(r)
			got := delivery{Family: family, Event: r.Header.Get("X-Gitea-Event"), Type: fmt.Sprintf("%T", payload), Payload: payload}
			if err != nil {
				got.Error = err.Error()
				w.WriteHeader(http.StatusForbidden)
			}
			printing.Lock()
			defer printing.Unlock()
			check(out.Encode(got))
		})
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Printf("http://%s\n", listener.Addr())
	parent := os.Getppid()
	go func() {
		for os.Getppid() == parent {
			time.Sleep(time.Second)
		}
		os.Exit(0)
	}()
	check(http.Serve(listener, nil))
}
