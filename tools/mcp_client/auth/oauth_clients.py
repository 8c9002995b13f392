"""The SDK's OAuth clients: which signs in to a server, by what the file of servers says, and what is kept of it."""

from collections.abc import Mapping

from mcp.client.auth import OAuthClientProvider, TokenStorage
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import AnyUrl, BaseModel, ValidationError

from tools.mcp_client.auth.callback import CALLBACK_PATH, HOST
from tools.mcp_client.auth.tokens import SignedIn
from tools.mcp_client.config import ServerSpec, fill_variables


def make_provider(spec: ServerSpec, environment: Mapping[str, str], storage: TokenStorage) -> OAuthClientProvider:
    """The client that a person signs in with, or the one that has credentials of its own; raises `ConfigError`."""
    settings = spec.oauth
    secrets = fill_variables({"secret": settings.client_secret, "key": settings.private_key}, environment)
    if settings.grant == "client_credentials" and secrets["key"]:
        signed = SignedJWTParameters(
            issuer=settings.client_id,
            subject=settings.client_id,
            signing_key=secrets["key"],
            signing_algorithm=settings.algorithm,
        )
        return PrivateKeyJWTOAuthProvider(
            spec.url, storage, settings.client_id, signed.create_assertion_provider(), issuer=settings.issuer
        )
    if settings.grant == "client_credentials":
        return ClientCredentialsOAuthProvider(
            spec.url, storage, settings.client_id, secrets["secret"], issuer=settings.issuer
        )
    # The port is known when somebody signs in.
    metadata = OAuthClientMetadata(redirect_uris=[AnyUrl(f"http://{HOST}{CALLBACK_PATH}")], client_name="Magpie")
    own = settings.client_metadata_url or None
    provider = OAuthClientProvider(spec.url, metadata, storage, client_metadata_url=own)
    if settings.client_id:
        provider.context.client_info = OAuthClientInformationFull(
            client_id=settings.client_id, client_secret=secrets["secret"] or None, issuer=settings.issuer or None
        )
    return provider


def to_keep(provider: OAuthClientProvider, spec: ServerSpec) -> SignedIn:
    """What a client knows now, as it is written down."""
    context = provider.context
    client = context.client_info
    # A secret that the user gave is the user's to keep.
    only = {"client_id", "issuer"} if spec.oauth.client_id else None
    return SignedIn(
        spec.url,
        _plain_fields(context.current_tokens),
        context.token_expiry_time or 0.0,
        client.model_dump(mode="json", exclude_none=True, include=only) if client else {},
        _plain_fields(context.oauth_metadata),
        _plain_fields(context.protected_resource_metadata),
    )


def _plain_fields(value: BaseModel | None) -> dict[str, object]:
    return value.model_dump(mode="json", exclude_none=True) if value else {}


def restore_provider(provider: OAuthClientProvider, kept: SignedIn, client_id: str) -> None:
    """Go on with what was kept, as far as it can be read.

    `client_id` is the user's own client; where it has another id now, nothing was kept of it.
    """
    context = provider.context
    try:
        issuer = OAuthMetadata.model_validate(kept.issuer) if kept.issuer else None
        resource = ProtectedResourceMetadata.model_validate(kept.resource) if kept.resource else None
        tokens = OAuthToken.model_validate(kept.tokens) if kept.tokens else None
        client = OAuthClientInformationFull.model_validate(kept.client) if kept.client else None
    except ValidationError:
        return
    if client_id and client and client.client_id != client_id:
        return
    context.oauth_metadata, context.protected_resource_metadata = issuer, resource
    context.auth_server_url = str(resource.authorization_servers[0]) if resource else None
    context.current_tokens, context.token_expiry_time = tokens, kept.expires or None
    if not client_id:
        context.client_info = client
    elif context.client_info and client and not context.client_info.issuer:
        context.client_info.issuer = client.issuer
    choose_method(provider)


def choose_method(provider: OAuthClientProvider, *, stamp: bool = False) -> None:
    """Say how a client with a secret proves itself, where nobody said; with `stamp`, to whom the client belongs."""
    client, issuer = provider.context.client_info, provider.context.oauth_metadata
    if client is None or issuer is None:
        return
    if stamp and not client.issuer:
        client.issuer = str(issuer.issuer)
    if client.client_secret and client.token_endpoint_auth_method is None:
        # The default of RFC 8414, section 2.
        offered = issuer.token_endpoint_auth_methods_supported or ["client_secret_basic"]
        client.token_endpoint_auth_method = (
            "client_secret_basic" if "client_secret_basic" in offered else "client_secret_post"
        )


def port_of(client: OAuthClientInformationFull | None) -> int:
    """The port that a registration names for answers; 0 for none."""
    uris = client.redirect_uris if client else None
    return (uris[0].port or 0) if uris else 0
