package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"
)

type tokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Expires int64  `json:"expires_in"`
}

// drone signs a user in, activates a repository, and builds a commit. Its requests have the token as a bearer.
func drone(use settings) learned {
	query := url.Values{
		"response_type": {"code"},
		"client_id":     {use.id},
		"redirect_uri":  {use.redirect},
		"state":         {state},
	}
	code := codeFor(use.url + "/login/oauth/authorize?" + query.Encode())
	// The secret is in the body, with the state.
	first := use.askForTokens(url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {code},
		"client_id":     {use.id},
		"client_secret": {use.secret},
		"state":         {state},
		"redirect_uri":  {use.redirect},
	}, false)
	// To refresh, the secret is in a header, and nothing else names the client.
	next := use.askForTokens(url.Values{"grant_type": {"refresh_token"}, "refresh_token": {first.Refresh}}, true)

	result := learned{Refreshed: next.Access != first.Access && next.Refresh != first.Refresh}
	api := forge{base: use.url + "/api/v1/", token: next.Access}
	var user struct{ Login, Email string }
	api.get("user", &user)
	result.Login, result.Email = user.Login, user.Email
	var orgs []struct{ Username string }
	api.get("user/orgs?limit=100&page=1", &orgs)
	for _, org := range orgs {
		result.Orgs = append(result.Orgs, org.Username)
	}
	var permissions struct {
		IsAdmin bool `json:"is_admin"`
	}
	api.get("users/"+owner+"/orgs/"+crew+"/permissions", &permissions)
	result.IsOrgAdmin = permissions.IsAdmin
	var repositories []struct {
		FullName string `json:"full_name"`
	}
	api.get("user/repos?limit=100&page=1", &repositories)
	for _, each := range repositories {
		result.Repositories = append(result.Repositories, each.FullName)
	}
	api.build(&result)
	api.hook(use, &result)

	clone, err := url.Parse(use.url + "/" + owner + "/" + repo + ".git")
	check(err)
	clone.User = url.UserPassword(next.Access, "x-oauth-basic")
	result.Clone = clone.String()
	return result
}

func (use settings) askForTokens(form url.Values, inHeader bool) tokens {
	request, err := http.NewRequest("POST", use.url+"/login/oauth/access_token", strings.NewReader(form.Encode()))
	check(err)
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if inHeader {
		request.SetBasicAuth(use.id, use.secret)
	}
	var answer tokens
	read(request, &answer)
	if answer.Access == "" || answer.Refresh == "" || answer.Expires <= 0 {
		log.Fatal("no tokens")
	}
	return answer
}

// forge sends requests to the API.
type forge struct{ base, token string }

func (api forge) get(path string, answer any) { api.send("GET", path, nil, answer) }

func (api forge) send(method, path string, body, answer any) {
	encoded, err := json.Marshal(body)
	check(err)
	request, err := http.NewRequest(method, api.base+path, bytes.NewReader(encoded))
	check(err)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+api.token)
	read(request, answer)
}

// read decodes an answer; into bytes, it copies them.
func read(request *http.Request, answer any) {
	response, err := http.DefaultClient.Do(request)
	check(err)
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	check(err)
	if response.StatusCode > 299 {
		log.Fatalf("%s %s: %d %s", request.Method, request.URL.Path, response.StatusCode, data)
	}
	switch into := answer.(type) {
	case nil:
	case *[]byte:
		*into = data
	default:
		check(json.Unmarshal(data, answer))
	}
}

// build reads the files of a commit, and sets its status.
func (api forge) build(result *learned) {
	base := "repos/" + owner + "/" + repo
	var branches []struct {
		Name   string
		Commit struct{ ID string }
	}
	api.get(base+"/branches", &branches)
	for _, branch := range branches {
		result.Branches = append(result.Branches, branch.Name)
	}
	commit := branches[0].Commit.ID
	var raw []byte
	api.get(base+"/raw/"+commit+"/"+buildFile, &raw)
	result.File = string(raw)
	request, err := http.NewRequest("GET", api.base+base+"/raw/"+commit+"/"+noFile, nil)
	check(err)
	request.Header.Set("Authorization", "Bearer "+api.token)
	missing, err := http.DefaultClient.Do(request)
	check(err)
	check(missing.Body.Close())
	result.Missing = missing.StatusCode
	var entries []struct{ Path, Type string }
	api.get(base+"/contents/"+folder+"?ref="+commit, &entries)
	for _, entry := range entries {
		api.get(base+"/raw/"+commit+"/"+entry.Path, &raw)
		result.Folder = append(result.Folder, fmt.Sprintf("%s %s: %s", entry.Type, entry.Path, raw))
	}
	api.get(base+"/git/commits/"+commit, nil)
	for _, status := range []string{"pending", "success"} {
		api.send("POST", base+"/statuses/"+commit, map[string]string{
			"state":       status,
			"target_url":  "https://drone.example.org/ada/loom/1",
			"description": "Build is " + status,
			"context":     "continuous-integration/drone/push",
		}, nil)
	}
}

// hook activates a repository. The secret is also in the address.
func (api forge) hook(use settings, result *learned) {
	base := "repos/" + owner + "/" + repo + "/hooks"
	create := func() (id int64) {
		var created struct{ ID int64 }
		api.send("POST", base, map[string]any{
			"type":   "gitea",
			"active": true,
			"config": map[string]string{"url": use.hook + "?secret=the+secret", "content_type": "json", "secret": "the secret"},
			"events": []string{"push", "pull_request", "create", "delete"},
		}, &created)
		return created.ID
	}
	create()
	api.send("DELETE", fmt.Sprintf("%s/%d", base, create()), nil, nil)
	var hooks []json.RawMessage
	api.get(base+"?limit=100&page=1", &hooks)
	result.Hooks = len(hooks)
}
