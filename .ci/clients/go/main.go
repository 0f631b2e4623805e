// Command client uses the published Go client of the API. The tests run it.
//
//	client PART   with the address of the server and a token in FORGE_URL and FORGE_TOKEN,
//	             and the token of an administrator in FORGE_REVIEWER_TOKEN for the part pulls
package main

import (
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"code.gitea.io/sdk/gitea"
)

const (
	owner = "ada"
	repo  = "from-go"
	// of the owner; another user has opened issues in it
	watched = "loom"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func expect(what string, got, wanted any) {
	if fmt.Sprint(got) != fmt.Sprint(wanted) {
		fmt.Fprintf(os.Stderr, "%s: got %v, expected %v\n", what, got, wanted)
		os.Exit(1)
	}
}

func encoded(text string) string {
	return base64.StdEncoding.EncodeToString([]byte(text))
}

// files creates a repository, and creates, reads, changes, moves and deletes files in it.
func files(client *gitea.Client) {
	_, _, err := client.CreateRepo(gitea.CreateRepoOption{Name: repo, AutoInit: true, DefaultBranch: "main"})
	check(err)
	created, _, err := client.CreateFile(owner, repo, "docs/größe plan.md", gitea.CreateFileOptions{
		FileOptions: gitea.FileOptions{Message: "Plan"},
		Content:     encoded("# Plan\n"),
	})
	check(err)
	expect("message", created.Commit.Message, "Plan\n")
	expect("verified", created.Verification.Verified, false)
	read, _, err := client.GetContents(owner, repo, "main", "docs/größe plan.md")
	check(err)
	expect("content", *read.Content, encoded("# Plan\n"))
	listed, _, err := client.ListContents(owner, repo, "", "docs")
	check(err)
	expect("entries", len(listed), 1)
	raw, _, err := client.GetFile(owner, repo, "main", "docs/größe plan.md")
	check(err)
	expect("raw", string(raw), "# Plan\n")
	media, _, err := client.GetFile(owner, repo, "main", "docs/größe plan.md", true)
	check(err)
	expect("media", string(media), "# Plan\n")

	updated, _, err := client.UpdateFile(owner, repo, "docs/moved.md", gitea.UpdateFileOptions{
		SHA:      read.SHA,
		Content:  encoded("# Plan 2\n"),
		FromPath: "docs/größe plan.md",
	})
	check(err)
	expect("moved", updated.Content.Path, "docs/moved.md")
	_, _, err = client.UpdateFile(owner, repo, "docs/moved.md", gitea.UpdateFileOptions{SHA: read.SHA, Content: ""})
	if err == nil {
		expect("a stale update", "accepted", "rejected")
	}
	changed, _, err := client.ChangeFiles(owner, repo, gitea.ChangeFilesOptions{
		Message: "Several",
		Files: []*gitea.ChangeFileOperation{
			{Operation: "create", Path: "one.txt", Content: encoded("one")},
			{Operation: "rename", Path: "two.md", FromPath: "docs/moved.md"},
			{Operation: "upload", Path: "README.md", Content: encoded("# Go\n")},
		},
	})
	check(err)
	expect("message", changed.Commit.Message, "Several\n")
	extended, _, err := client.GetContentsExt(owner, repo, "two.md", gitea.GetContentsExtOptions{
		Includes: "file_content,commit_metadata,commit_message",
	})
	check(err)
	expect("content", *extended.FileContents.Content, encoded("# Plan 2\n"))
	expect("last commit", *extended.FileContents.LastCommitSha, changed.Commit.SHA)
	expect("last message", *extended.FileContents.LastCommitMessage, "Several\n")
	folder, _, err := client.GetContentsExt(owner, repo, ".", gitea.GetContentsExtOptions{})
	check(err)
	expect("entries", len(folder.DirContents), 3)
	_, err = client.DeleteFile(owner, repo, "two.md", gitea.DeleteFileOptions{SHA: extended.FileContents.SHA})
	check(err)
	_, response, err := client.GetContents(owner, repo, "", "two.md")
	if err == nil || response.StatusCode != 404 {
		expect("a deleted file", err, 404)
	}
}

// commits lists and compares what files has written.
func commits(client *gitea.Client) {
	listed, _, err := client.ListRepoCommits(owner, repo, gitea.ListCommitOptions{})
	check(err)
	expect("commits", len(listed), 5)
	one, _, err := client.GetSingleCommit(owner, repo, listed[1].SHA)
	check(err)
	expect("message", one.RepoCommit.Message, "Several\n")
	compared, _, err := client.CompareCommits(owner, repo, listed[2].SHA, "main")
	check(err)
	expect("compared", compared.TotalCommits, 2)
}

// branches creates, reads and deletes a branch and a tag.
func branches(client *gitea.Client) {
	branch, _, err := client.CreateBranch(owner, repo, gitea.CreateBranchOption{BranchName: "feature/x", OldBranchName: "main"})
	check(err)
	expect("branch", branch.Name, "feature/x")
	listed, _, err := client.ListRepoBranches(owner, repo, gitea.ListRepoBranchesOptions{})
	check(err)
	expect("branches", len(listed), 2)
	tag, _, err := client.CreateTag(owner, repo, gitea.CreateTagOption{TagName: "v1", Target: "main", Message: "First"})
	check(err)
	expect("tag", tag.Name, "v1")
	tags, _, err := client.ListRepoTags(owner, repo, gitea.ListRepoTagsOptions{})
	check(err)
	expect("tags", len(tags), 1)
	_, _, err = client.CreateFile(owner, repo, "on-branch", gitea.CreateFileOptions{
		FileOptions: gitea.FileOptions{BranchName: "feature/x"},
	})
	check(err)
	compared, _, err := client.CompareCommits(owner, repo, "v1", "feature/x")
	check(err)
	expect("compared", compared.TotalCommits, 1)
	_, err = client.DeleteTag(owner, repo, "v1")
	check(err)
	deleted, _, err := client.DeleteRepoBranch(owner, repo, "feature/x")
	check(err)
	expect("deleted", deleted, true)
}

// issues works through the life of an issue.
func issues(client *gitea.Client) {
	const tracker = "tracker"
	_, _, err := client.CreateRepo(gitea.CreateRepoOption{Name: tracker})
	check(err)
	label, _, err := client.CreateLabel(owner, tracker, gitea.CreateLabelOption{Name: "bug", Color: "#ff0000"})
	check(err)
	milestone, _, err := client.CreateMilestone(owner, tracker, gitea.CreateMilestoneOption{Title: "First"})
	check(err)
	blocker, _, err := client.CreateIssue(owner, tracker, gitea.CreateIssueOption{Title: "The bearing is dry"})
	check(err)
	issue, _, err := client.CreateIssue(owner, tracker, gitea.CreateIssueOption{
		Title: "It rattles", Body: "When it *turns*, see #1.", Assignees: []string{owner}, Labels: []int64{label.ID}, Milestone: milestone.ID,
	})
	check(err)
	expect("number", issue.Index, 2)
	expect("label", issue.Labels[0].Name, "bug")
	expect("assignee", issue.Assignees[0].UserName, owner)
	expect("milestone", issue.Milestone.Title, "First")

	comment, _, err := client.CreateIssueComment(owner, tracker, issue.Index, gitea.CreateIssueCommentOption{Body: "Oil?"})
	check(err)
	comment, _, err = client.EditIssueComment(owner, tracker, comment.ID, gitea.EditIssueCommentOption{Body: "Oil it."})
	check(err)
	expect("comment", comment.Body, "Oil it.")
	comments, _, err := client.ListIssueComments(owner, tracker, issue.Index, gitea.ListIssueCommentOptions{})
	check(err)
	expect("comments", len(comments), 1)
	_, _, err = client.PostIssueCommentReaction(owner, tracker, comment.ID, "+1")
	check(err)
	reactions, _, err := client.GetIssueCommentReactions(owner, tracker, comment.ID)
	check(err)
	expect("reaction", reactions[0].Reaction, "+1")

	file, _, err := client.CreateIssueAttachment(owner, tracker, issue.Index, strings.NewReader("Oil can"), "oil.txt")
	check(err)
	expect("attachment", file.Name, "oil.txt")
	file, _, err = client.EditIssueAttachment(owner, tracker, issue.Index, file.ID, gitea.EditAttachmentOptions{Name: "can.txt"})
	check(err)
	attached, _, err := client.ListIssueAttachments(owner, tracker, issue.Index)
	check(err)
	expect("attachments", len(attached), 1)
	expect("name and size", fmt.Sprint(attached[0].Name, attached[0].Size), "can.txt7")
	_, err = client.DeleteIssueAttachment(owner, tracker, issue.Index, file.ID)
	check(err)

	_, _, err = client.AddTime(owner, tracker, issue.Index, gitea.AddTimeOption{Time: 90})
	check(err)
	times, _, err := client.ListIssueTrackedTimes(owner, tracker, issue.Index, gitea.ListTrackedTimesOptions{})
	check(err)
	expect("time", times[0].Time, 90)
	_, err = client.IssueUnSubscribe(owner, tracker, issue.Index)
	check(err)
	watch, _, err := client.CheckIssueSubscription(owner, tracker, issue.Index)
	check(err)
	expect("subscribed", watch.Subscribed, false)

	_, _, err = client.CreateIssueDependency(owner, tracker, issue.Index, gitea.IssueMeta{Index: blocker.Index})
	check(err)
	closed := gitea.StateClosed
	_, _, err = client.EditIssue(owner, tracker, issue.Index, gitea.EditIssueOption{State: &closed})
	if err == nil {
		expect("closing an issue with an open dependency", "accepted", "rejected")
	}
	for _, index := range []int64{blocker.Index, issue.Index} {
		edited, _, err := client.EditIssue(owner, tracker, index, gitea.EditIssueOption{State: &closed})
		check(err)
		expect("state", edited.State, closed)
	}
	listed, _, err := client.ListRepoIssues(owner, tracker, gitea.ListIssueOption{State: closed, Labels: []string{"bug"}, KeyWord: "rattles"})
	check(err)
	expect("found", listed[0].Title, "It rattles")
	found, _, err := client.ListIssues(gitea.ListIssueOption{State: closed, KeyWord: "oil"})
	check(err)
	expect("found everywhere", found[0].Index, issue.Index)
	_, err = client.LockIssue(owner, tracker, issue.Index, gitea.LockIssueOption{})
	check(err)
	_, err = client.PinIssue(owner, tracker, issue.Index)
	check(err)
	pinned, _, err := client.ListRepoPinnedIssues(owner, tracker)
	check(err)
	expect("pinned", pinned[0].IsLocked, true)
	_, err = client.ClearIssueLabels(owner, tracker, issue.Index)
	check(err)
	_, err = client.DeleteIssue(owner, tracker, issue.Index)
	check(err)
	_, response, err := client.GetIssue(owner, tracker, issue.Index)
	if err == nil || response.StatusCode != 404 {
		expect("a deleted issue", err, 404)
	}
}

// notifications reads that another user has opened two issues in the repository, and marks that as read.
func notifications(client *gitea.Client) {
	count, _, err := client.CheckNotifications()
	check(err)
	expect("new notifications", count, 2)
	threads, _, err := client.ListRepoNotifications(owner, watched, gitea.ListNotificationOptions{})
	check(err)
	expect("notifications of the repository", len(threads), 2)
	expect("subject", threads[0].Subject.Title, "It stops")
	expect("repository", threads[0].Repository.FullName, owner+"/"+watched)
	_, _, err = client.ReadNotification(threads[0].ID)
	check(err)
	thread, _, err := client.GetNotification(threads[0].ID)
	check(err)
	expect("unread", thread.Unread, false)
	threads, _, err = client.ListNotifications(gitea.ListNotificationOptions{})
	check(err)
	expect("unread notifications", len(threads), 1)
	expect("other subject", threads[0].Subject.Title, "It hums")
	_, _, err = client.ReadNotifications(gitea.MarkNotificationOptions{})
	check(err)
	count, _, err = client.CheckNotifications()
	check(err)
	expect("new notifications after reading", count, 0)
}

// pulls works through the life of a pull request, which an administrator reviews.
func pulls(client *gitea.Client) {
	const engine = "engine"
	reviewer, err := gitea.NewClient(os.Getenv("FORGE_URL"), gitea.SetToken(os.Getenv("FORGE_REVIEWER_TOKEN")))
	check(err)
	me, _, err := reviewer.GetMyUserInfo()
	check(err)
	_, _, err = client.CreateRepo(gitea.CreateRepoOption{Name: engine, AutoInit: true, DefaultBranch: "main"})
	check(err)
	_, _, err = client.CreateFile(owner, engine, "pump.txt", gitea.CreateFileOptions{
		FileOptions: gitea.FileOptions{Message: "Add a pump", NewBranchName: "feature/pump"},
		Content:     encoded("one\ntwo\n"),
	})
	check(err)
	pull, _, err := client.CreatePullRequest(owner, engine, gitea.CreatePullRequestOption{
		Base: "main", Head: "feature/pump", Title: "WIP: Add a pump", Body: "It pumps.", Assignees: []string{owner},
	})
	check(err)
	expect("state", pull.State, gitea.StateOpen)
	expect("draft", pull.Draft, true)
	open := gitea.ListPullRequestsOptions{State: gitea.StateOpen, Sort: "recentupdate"}
	listed, _, err := client.ListRepoPullRequests(owner, engine, open)
	check(err)
	expect("open pull requests", len(listed), 1)
	found, _, err := client.GetPullRequestByBaseHead(owner, engine, "main", "feature/pump")
	check(err)
	expect("number by base and head", found.Index, pull.Index)
	body := "It pumps water."
	edited, _, err := client.EditPullRequest(owner, engine, pull.Index, gitea.EditPullRequestOption{Title: "Add a pump", Body: &body})
	check(err)
	expect("title", edited.Title, "Add a pump")
	read, _, err := client.GetPullRequest(owner, engine, pull.Index)
	check(err)
	expect("body", read.Body, body)
	expect("mergeable", read.Mergeable, true)
	expect("assignee", read.Assignees[0].UserName, owner)

	diff, _, err := client.GetPullRequestDiff(owner, engine, pull.Index, gitea.PullRequestDiffOptions{})
	check(err)
	expect("a line in the diff", strings.Contains(string(diff), "\n+two\n"), true)
	patch, _, err := client.GetPullRequestPatch(owner, engine, pull.Index)
	check(err)
	expect("the subject in the patch", strings.Contains(string(patch), "Subject: [PATCH] Add a pump\n"), true)
	commits, _, err := client.ListPullRequestCommits(owner, engine, pull.Index, gitea.ListPullRequestCommitsOptions{})
	check(err)
	expect("commit", commits[0].SHA, read.Head.Sha)
	files, _, err := client.ListPullRequestFiles(owner, engine, pull.Index, gitea.ListPullRequestFilesOptions{})
	check(err)
	expect("file", fmt.Sprint(files[0].Filename, files[0].Status, files[0].Additions), "pump.txtadded2")

	request := gitea.PullReviewRequestOptions{Reviewers: []string{me.UserName}}
	requested := func() int {
		asked, _, err := client.GetPullRequest(owner, engine, pull.Index)
		check(err)
		return len(asked.RequestedReviewers)
	}
	_, err = client.CreateReviewRequests(owner, engine, pull.Index, request)
	check(err)
	expect("requested reviewers", requested(), 1)
	_, err = client.DeleteReviewRequests(owner, engine, pull.Index, request)
	check(err)
	expect("requested reviewers after the removal", requested(), 0)

	comments := []gitea.CreatePullReviewComment{{Path: "pump.txt", Body: "Why two?", NewLineNum: 2}}
	pending := gitea.CreatePullReviewOptions{State: gitea.ReviewStatePending, Comments: comments}
	dropped, _, err := reviewer.CreatePullReview(owner, engine, pull.Index, pending)
	check(err)
	_, err = reviewer.DeletePullReview(owner, engine, pull.Index, dropped.ID)
	check(err)
	review, _, err := reviewer.CreatePullReview(owner, engine, pull.Index, pending)
	check(err)
	expect("state of the review", review.State, gitea.ReviewStatePending)
	review, _, err = reviewer.SubmitPullReview(owner, engine, pull.Index, review.ID, gitea.SubmitPullReviewOptions{
		State: gitea.ReviewStateRequestChanges, Body: "Nearly.",
	})
	check(err)
	expect("state of the submitted review", review.State, gitea.ReviewStateRequestChanges)
	remarks, _, err := client.ListPullReviewComments(owner, engine, pull.Index, review.ID)
	check(err)
	expect("comment", fmt.Sprint(remarks[0].Path, remarks[0].LineNum, remarks[0].Body), "pump.txt2Why two?")
	dismissed := func() bool {
		got, _, err := client.GetPullReview(owner, engine, pull.Index, review.ID)
		check(err)
		return got.Dismissed
	}
	_, err = client.DismissPullReview(owner, engine, pull.Index, review.ID, gitea.DismissPullReviewOptions{Message: "Done"})
	check(err)
	expect("dismissed", dismissed(), true)
	_, err = client.UnDismissPullReview(owner, engine, pull.Index, review.ID)
	check(err)
	expect("dismissed after all", dismissed(), false)
	_, _, err = reviewer.CreatePullReview(owner, engine, pull.Index, gitea.CreatePullReviewOptions{State: gitea.ReviewStateApproved})
	check(err)
	reviews, _, err := client.ListPullReviews(owner, engine, pull.Index, gitea.ListPullReviewsOptions{})
	check(err)
	expect("last review", reviews[len(reviews)-1].State, gitea.ReviewStateApproved)

	merged, _, err := client.IsPullRequestMerged(owner, engine, pull.Index)
	check(err)
	expect("merged early", merged, false)
	yes := true
	merged, _, err = client.MergePullRequest(owner, engine, pull.Index, gitea.MergePullRequestOption{
		Style: gitea.MergeStyleSquash, Title: "A pump", HeadCommitId: read.Head.Sha, DeleteBranchAfterMerge: &yes,
	})
	check(err)
	expect("merged", merged, true)
	merged, _, err = client.IsPullRequestMerged(owner, engine, pull.Index)
	check(err)
	expect("is merged", merged, true)
	_, response, err := client.GetRepoBranch(owner, engine, "feature/pump")
	if err == nil || response.StatusCode != 404 {
		expect("the branch after the merge", err, 404)
	}
}

// releases drafts a release with a file, publishes it, and deletes both.
func releases(client *gitea.Client) {
	const engine = "engine"
	_, _, err := client.CreateRepo(gitea.CreateRepoOption{Name: engine, AutoInit: true, DefaultBranch: "main"})
	check(err)
	draft, _, err := client.CreateRelease(owner, engine, gitea.CreateReleaseOption{
		TagName: "v1.0", Title: "First", Note: "It turns.", IsDraft: true,
	})
	check(err)
	expect("draft", draft.IsDraft, true)
	asset, _, err := client.CreateReleaseAttachment(owner, engine, draft.ID, strings.NewReader("steam"), "pump.bin")
	check(err)
	expect("size", asset.Size, 5)
	asset, _, err = client.EditReleaseAttachment(owner, engine, draft.ID, asset.ID, gitea.EditAttachmentOptions{Name: "engine.bin"})
	check(err)
	expect("name", asset.Name, "engine.bin")
	no := false
	published, _, err := client.EditRelease(owner, engine, draft.ID, gitea.EditReleaseOption{IsDraft: &no})
	check(err)
	expect("published", fmt.Sprint(published.IsDraft, published.Title, published.Note), "falseFirstIt turns.")
	latest, _, err := client.GetLatestRelease(owner, engine)
	check(err)
	expect("latest", latest.ID, draft.ID)
	byTag, _, err := client.GetReleaseByTag(owner, engine, "v1.0")
	check(err)
	expect("assets", len(byTag.Attachments), 1)
	response, err := http.Get(byTag.Attachments[0].DownloadURL)
	check(err)
	content, err := io.ReadAll(response.Body)
	check(err)
	expect("content", string(content), "steam")
	listed, _, err := client.ListReleases(owner, engine, gitea.ListReleasesOptions{IsDraft: &no})
	check(err)
	expect("releases", len(listed), 1)
	_, err = client.DeleteReleaseAttachment(owner, engine, draft.ID, asset.ID)
	check(err)
	_, err = client.DeleteReleaseByTag(owner, engine, "v1.0")
	check(err)
	_, missing, err := client.GetRelease(owner, engine, draft.ID)
	if err == nil || missing.StatusCode != 404 {
		expect("the release after its deletion", err, 404)
	}
}

func main() {
	client, err := gitea.NewClient(os.Getenv("FORGE_URL"), gitea.SetToken(os.Getenv("FORGE_TOKEN")))
	check(err)
	parts := map[string]func(*gitea.Client){
		"files": files, "commits": commits, "branches": branches, "issues": issues, "notifications": notifications,
		"pulls": pulls, "releases": releases,
	}
	for _, name := range os.Args[1:] {
		parts[name](client)
	}
	fmt.Println("ok")
}
