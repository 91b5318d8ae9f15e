"""Where the window of a run is, and what to say when it is not there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Mapping, Optional

from .errors import BridgeClosedError, BridgeError, NotAvailableError

_PREFIXES = ("FAIRLEAD_RUN_BRIDGE", "EVOLVE_RUN_BRIDGE")
_PARTS = ("ADDR", "TOKEN", "SESSION")
_START_AGAIN = 'Start the script again with "Fairlead: Run File".'


@dataclass(frozen=True)
class Endpoint:
    address: str
    token: str
    session: str

    def __repr__(self) -> str:
        return f"Endpoint({self.address})"  # never the token


def endpoint_of(environment: Mapping[str, str]) -> Optional[Endpoint]:
    for prefix in _PREFIXES:
        values: List[str] = [environment.get(f"{prefix}_{part}", "") for part in _PARTS]
        if all(values):
            return Endpoint(*values)
    return None


def not_started_from_vscode(environment: Mapping[str, str]) -> NotAvailableError:
    names = [f"{_PREFIXES[0]}_{part}" for part in _PARTS]
    missing = [name for name in names if not environment.get(name)]
    return NotAvailableError(
        f"The VS Code bridge is not available: this program was not started from VS Code ({', '.join(missing)} "
        f"{'is' if len(missing) == 1 else 'are'} not set). Open it in a window that has the Fairlead extension and "
        'start it with "Fairlead: Run File" (the setting fairlead.runBridge.enabled must be on), or under a debug '
        "adapter that has the bridge."
    )


def refused(reason: str) -> NotAvailableError:
    detail = f" ({reason})" if reason else ""
    return NotAvailableError(
        f"The VS Code window does not accept the token of this run{detail}: the run has ended, or the bridge was "
        f"turned off. {_START_AGAIN}"
    )


def not_a_bridge(endpoint: Endpoint, detail: str) -> NotAvailableError:
    return NotAvailableError(
        f"What listens at {endpoint.address} is not the bridge of a VS Code window: {detail}. {_START_AGAIN}"
    )


def unreachable(endpoint: Endpoint, cause: Exception) -> NotAvailableError:
    return NotAvailableError(
        f"Cannot reach the VS Code window at {endpoint.address}: {_reason(cause)}. Is it still open? {_START_AGAIN}"
    )


def lost(endpoint: Endpoint, cause: Exception, seconds: float) -> BridgeClosedError:
    return BridgeClosedError(
        f"The connection to the VS Code window at {endpoint.address} was lost and did not come back within "
        f"{seconds:g} s: {_reason(cause)}. Open the window and start the script again."
    )


def not_understood(reason: str) -> BridgeClosedError:
    return BridgeClosedError(
        f"The VS Code window and this program do not understand each other: {reason or 'a message was not valid'}. "
        "Update the Fairlead extension and the Python package fairlead."
    )


def unknown_outcome(request_type: str) -> BridgeClosedError:
    return BridgeClosedError(
        f"The VS Code window was reloaded while it worked on {request_type}; whether it was done is not known. "
        "Look, and send it again if it was not."
    )


def closed() -> BridgeError:
    return BridgeClosedError("The bridge was closed before VS Code replied. Keep it open while requests are under way.")


def _reason(cause: Exception) -> str:
    strerror = getattr(cause, "strerror", None)
    return str(strerror or cause)
