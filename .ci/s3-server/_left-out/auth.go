package auth

import "errors"

var errLeftOut = errors.New("this build knows only its own account")

// IAMServiceStandaloneConfig has the fields that iam.go sets.
type IAMServiceStandaloneConfig struct {
	Endpoint, Access, Secret, ClientCert, ClientCertKey, ServerCA, Region string
	DefaultUserID, DefaultGroupID, DefaultProjectID                       int
}

// NewIAMServiceStandalone takes the place of accounts on an IAM server.
func NewIAMServiceStandalone(_ Account, _ IAMServiceStandaloneConfig) (IAMService, error) {
	return nil, errLeftOut
}

// NewLDAPService takes the place of accounts in LDAP.
func NewLDAPService(_ Account, _, _, _, _, _, _, _, _, _, _, _ string, _ bool) (IAMService, error) {
	return nil, errLeftOut
}

// NewVaultIAMService takes the place of accounts in Vault.
func NewVaultIAMService(_ Account, _, _, _, _, _, _, _, _, _, _, _, _, _ string) (IAMService, error) {
	return nil, errLeftOut
}

// NewS3 takes the place of accounts in another S3 store.
func NewS3(_ Account, _, _, _, _, _ string, _ bool) (IAMService, error) {
	return nil, errLeftOut
}
