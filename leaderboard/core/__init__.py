"""What every feature uses: settings, permissions, audit, blobs, leases, and what pages and API share."""
