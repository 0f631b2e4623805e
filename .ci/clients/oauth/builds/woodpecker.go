package main

import (
	"context"
	"fmt"
	"log"
	"net/url"
	"time"

	"code.gitea.io/sdk/gitea"
	"golang.org/x/oauth2"
)

// woodpecker signs a user in, activates a repository, builds a commit, and deactivates the repository.
func woodpecker(use settings) learned {
	ctx := context.Background()
	// No scopes, and the library finds out where the secret belongs.
	config := oauth2.Config{
		ClientID:     use.id,
		ClientSecret: use.secret,
		Endpoint: oauth2.Endpoint{
			AuthURL:  use.url + "/login/oauth/authorize",
			TokenURL: use.url + "/login/oauth/access_token",
		},
		RedirectURL: use.redirect,
	}
	token, err := config.Exchange(ctx, codeFor(config.AuthCodeURL(state)))
	check(err)

	// It refreshes without a redirect address.
	config.RedirectURL = ""
	expired := oauth2.Token{AccessToken: token.AccessToken, RefreshToken: token.RefreshToken, Expiry: time.Unix(1, 0)}
	next, err := config.TokenSource(ctx, &expired).Token()
	check(err)
	client, err := gitea.NewClient(use.url, gitea.SetToken(next.AccessToken), gitea.SetContext(ctx))
	check(err)

	result := learned{Refreshed: next.AccessToken != token.AccessToken && next.RefreshToken != token.RefreshToken}
	user, _, err := client.GetMyUserInfo()
	check(err)
	result.Login, result.Email = user.UserName, user.Email
	askForOrgs(client, use, &result)
	repository := askForRepositories(client, use, &result)
	build(client, repository, &result)
	hook(client, use, &result)

	clone, err := url.Parse(repository.CloneURL)
	check(err)
	clone.User = url.UserPassword(user.UserName, next.AccessToken)
	result.Clone = clone.String()
	return result
}

// pageSize returns what the server allows, which an anonymous client reads.
func pageSize(use settings) int {
	anonymous, err := gitea.NewClient(use.url)
	check(err)
	limits, _, err := anonymous.GetGlobalAPISettings()
	check(err)
	return limits.MaxResponseItems
}

func askForOrgs(client *gitea.Client, use settings, result *learned) {
	orgs, _, err := client.ListMyOrgs(gitea.ListOrgsOptions{ListOptions: gitea.ListOptions{Page: 1, PageSize: pageSize(use)}})
	check(err)
	for _, org := range orgs {
		result.Orgs = append(result.Orgs, org.UserName)
	}
	isMember, _, err := client.CheckOrgMembership(crew, owner)
	check(err)
	permissions, _, err := client.GetOrgPermissions(crew, owner)
	check(err)
	result.IsOrgAdmin = isMember && (permissions.IsAdmin || permissions.IsOwner)
	// An owner who is no organization is a user.
	if _, _, err = client.GetOrg(owner); err == nil {
		log.Fatal("a user is an organization")
	}
	_, _, err = client.GetUserInfo(owner)
	check(err)
}

// askForRepositories pages until a page is empty.
func askForRepositories(client *gitea.Client, use settings, result *learned) *gitea.Repository {
	for page := 1; ; page++ {
		listed, _, err := client.ListMyRepos(gitea.ListReposOptions{ListOptions: gitea.ListOptions{Page: page, PageSize: pageSize(use)}})
		check(err)
		if len(listed) == 0 {
			break
		}
		for _, each := range listed {
			result.Repositories = append(result.Repositories, each.FullName)
		}
	}
	named, _, err := client.GetRepo(owner, repo)
	check(err)
	repository, _, err := client.GetRepoByID(named.ID)
	check(err)
	if !repository.Permissions.Admin {
		log.Fatal("the owner is no administrator of the repository")
	}
	return repository
}

// build reads the files of a commit, and sets its status.
func build(client *gitea.Client, repository *gitea.Repository, result *learned) {
	branches, _, err := client.ListRepoBranches(owner, repo, gitea.ListRepoBranchesOptions{})
	check(err)
	for _, each := range branches {
		result.Branches = append(result.Branches, each.Name)
	}
	branch, _, err := client.GetRepoBranch(owner, repo, repository.DefaultBranch)
	check(err)
	commit := branch.Commit.ID
	file, _, err := client.GetFile(owner, repo, commit, buildFile)
	check(err)
	result.File = string(file)
	_, response, err := client.GetFile(owner, repo, commit, noFile)
	if err == nil {
		log.Fatal("a missing file has content")
	}
	result.Missing = response.StatusCode
	entries, _, err := client.ListContents(owner, repo, commit, folder)
	check(err)
	for _, entry := range entries {
		data, _, err := client.GetFile(owner, repo, commit, entry.Path)
		check(err)
		result.Folder = append(result.Folder, fmt.Sprintf("%s %s: %s", entry.Type, entry.Path, data))
	}
	for _, status := range []gitea.StatusState{gitea.StatusPending, gitea.StatusSuccess} {
		_, _, err = client.CreateStatus(owner, repo, commit, gitea.CreateStatusOption{
			State:       status,
			TargetURL:   "https://ci.example.org/repos/1/pipeline/1",
			Description: "Pipeline is " + string(status),
			Context:     "ci/woodpecker/push/build",
		})
		check(err)
	}
	_, _, err = client.ListRepoPullRequests(owner, repo, gitea.ListPullRequestsOptions{State: gitea.StateOpen})
	check(err)
}

// hook activates a repository, and deactivates another one.
func hook(client *gitea.Client, use settings, result *learned) {
	create := func() *gitea.Hook {
		hook, _, err := client.CreateRepoHook(owner, repo, gitea.CreateHookOption{
			Type:   gitea.HookTypeGitea,
			Config: map[string]string{"url": use.hook, "secret": "the secret", "content_type": "json"},
			Events: []string{"push", "create", "pull_request", "release"},
			Active: true,
		})
		check(err)
		return hook
	}
	create()
	second := create()
	_, err := client.DeleteRepoHook(owner, repo, second.ID)
	check(err)
	hooks, _, err := client.ListRepoHooks(owner, repo, gitea.ListHooksOptions{ListOptions: gitea.ListOptions{Page: 1, PageSize: pageSize(use)}})
	check(err)
	result.Hooks = len(hooks)
}
