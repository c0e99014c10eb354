"""Code that all features share: settings, permissions, audit, blobs, leases, and helpers of pages and API."""
