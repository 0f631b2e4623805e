// Signs a user in as a program does: golang.org/x/oauth2 and github.com/coreos/go-oidc.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// result is what the test compares.
type result struct {
	Subject  string   `json:"subject"`
	Name     string   `json:"name"`
	Email    string   `json:"email"`
	Groups   []string `json:"groups"`
	UserName string   `json:"user_name"`
	API      int      `json:"api"`
	Rotated  bool     `json:"rotated"`
}

// main takes the issuer, the id and the secret of the client, and its redirect address. It prints the address of the
// request, reads the code, and prints what it has learned.
func main() {
	log.SetFlags(0)
	issuer, id, secret, redirect := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	ctx := context.Background()
	provider, err := oidc.NewProvider(ctx, issuer)
	check(err)
	config := oauth2.Config{
		ClientID:     id,
		ClientSecret: secret,
		Endpoint:     provider.Endpoint(),
		RedirectURL:  redirect,
		Scopes:       []string{oidc.ScopeOpenID, "profile", "email", "groups", "read:user"},
	}
	verifier := oauth2.GenerateVerifier()
	fmt.Println(config.AuthCodeURL("the state", oauth2.S256ChallengeOption(verifier), oidc.Nonce("the nonce")))

	var code string
	_, err = fmt.Scanln(&code)
	check(err)
	token, err := config.Exchange(ctx, code, oauth2.VerifierOption(verifier))
	check(err)
	raw, _ := token.Extra("id_token").(string)
	idToken, err := provider.Verifier(&oidc.Config{ClientID: id}).Verify(ctx, raw)
	check(err)
	check(idToken.VerifyAccessToken(token.AccessToken))
	if idToken.Nonce != "the nonce" {
		log.Fatal("another nonce: ", idToken.Nonce)
	}
	var claims struct {
		Groups []string `json:"groups"`
	}
	check(idToken.Claims(&claims))
	info, err := provider.UserInfo(ctx, oauth2.StaticTokenSource(token))
	check(err)
	var named struct {
		Name string `json:"preferred_username"`
	}
	check(info.Claims(&named))

	response, err := config.Client(ctx, token).Get(issuer + "/api/v1/user")
	check(err)
	check(response.Body.Close())
	old := *token
	old.AccessToken = ""
	next, err := config.TokenSource(ctx, &old).Token()
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(result{
		Subject:  idToken.Subject,
		Name:     named.Name,
		Email:    info.Email,
		Groups:   claims.Groups,
		UserName: named.Name,
		API:      response.StatusCode,
		Rotated:  next.RefreshToken != token.RefreshToken && response.StatusCode == http.StatusOK,
	}))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
