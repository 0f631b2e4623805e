// Command builds makes the calls that servers for builds make after the sign-in of a user: those of Woodpecker with
// golang.org/x/oauth2 and code.gitea.io/sdk/gitea, which it uses, too, and those of Drone, which has a client of its own.
//
//	builds woodpecker|drone   with FORGE_URL, CLIENT_ID, CLIENT_SECRET, REDIRECT_URL and HOOK_URL
//
// It prints the address of the request, reads the code, and prints what it has learned.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
)

// The world of the test.
const (
	owner     = "ada"
	repo      = "loom"
	crew      = "crew"
	state     = "the state"
	noFile    = "none.yaml"
	buildFile = "build.yaml"
	folder    = ".builds"
)

// learned is what the test compares.
type learned struct {
	Login        string   `json:"login"`
	Email        string   `json:"email"`
	Repositories []string `json:"repositories"`
	Orgs         []string `json:"orgs"`
	IsOrgAdmin   bool     `json:"is_org_admin"`
	File         string   `json:"file"`
	Folder       []string `json:"folder"`
	Missing      int      `json:"missing"`
	Hooks        int      `json:"hooks"`
	Branches     []string `json:"branches"`
	// a URL with which git clones
	Clone string `json:"clone"`
	// after the token has expired
	Refreshed bool `json:"refreshed"`
}

type settings struct {
	url, id, secret, redirect, hook string
}

func main() {
	log.SetFlags(0)
	use := settings{
		url:      os.Getenv("FORGE_URL"),
		id:       os.Getenv("CLIENT_ID"),
		secret:   os.Getenv("CLIENT_SECRET"),
		redirect: os.Getenv("REDIRECT_URL"),
		hook:     os.Getenv("HOOK_URL"),
	}
	var result learned
	switch os.Args[1] {
	case "woodpecker":
		result = woodpecker(use)
	case "drone":
		result = drone(use)
	default:
		log.Fatal("unknown server: ", os.Args[1])
	}
	check(json.NewEncoder(os.Stdout).Encode(result))
}

// codeFor prints the address of a request, and reads the code that a browser brings back.
func codeFor(address string) string {
	fmt.Println(address)
	var code string
	_, err := fmt.Scanln(&code)
	check(err)
	return code
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
